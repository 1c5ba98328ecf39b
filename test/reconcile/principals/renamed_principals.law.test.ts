import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import type { Representation } from '../../../src/contract/bodies/bodies.ts'
import type { Manifest, WantedPrincipal } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { describeServer } from '../../support/server.ts'
import { type Block, ruleOf, tell } from '../support/literals.ts'
import { applyAll, expectDone, planAll, type Sandbox, useSandboxes } from '../support/sandbox.ts'

/** Applies of a run. */
const steps = 5

const users = ['ada', 'ben', 'cid'] as const
const groups = ['crew', 'staff'] as const
const accounts = [...users, ...groups]

const subset = <T>(all: readonly T[]) => fc.subarray([...all])

/** What a manifest declares, after the accounts of the steps before. */
const step = fc.record({
  declared: subset(accounts),
  renamed: subset(accounts),
  ruled: subset(accounts),
  owner: fc.option(fc.constantFrom(...users), { nil: undefined }),
  members: fc.record({ crew: subset(users), staff: subset(users) }),
  hasRules: fc.boolean(),
  atomic: fc.boolean(),
})
type Step = (typeof step extends fc.Arbitrary<infer S> ? S : never) & { readonly owns: 'all' | 'listed' }

/** The names of accounts: declared ones have a number, which grows with their renames. */
type Numbers = Map<string, number>

describeServer('users and groups that are renamed', (start, driver) => {
  const sandbox = useSandboxes(start)

  it('keep what the manifest gives them, and lose what it drops in the same apply', patience, async () => {
    await assertLaw(
      fc.asyncProperty(stepsOf(step, steps), fc.constantFrom('all', 'listed'), async (all, owns) => {
        const box = await sandbox()
        const numbers: Numbers = new Map()
        await applyAll(box.api, box.of({ T: {} }))
        const foreign = ruleOf('id:1', { permission: 'update' })
        const { api } = box
        await api.call('resource.update', {
          params: { id: (await read(api, box.top)).resource.id },
          body: { resource: { permissions: [{ ...foreign, principal: { id: 1 } }] } },
        })
        let others = [line(1, 'update')]
        for (const one of all) {
          const { manifest, names, ruled, members } = manifestOf(box, { ...one, owns }, numbers)
          expectDone(await applyPlan({ api, plan: await planAll(api, manifest), atomic: one.atomic }))
          const ids = await readIds(api)
          const idOf = (account: string) => ids.get(names.get(account) ?? '') ?? 0
          const { resource } = await read(api, box.top)
          if (owns === 'all' && one.hasRules) others = []
          expect(
            resource.permissions?.map(({ principal, permission }) => line(principal.id, permission)).sort(),
          ).toEqual([...others, ...ruled.map((account) => line(idOf(account), 'read'))].sort())
          if (one.owner !== undefined && names.has(one.owner))
            expect(resource.owner_user?.id).toBe(idOf(one.owner))
          for (const [group, list] of members)
            expect(await readMembers(api, idOf(group))).toEqual(list.map(idOf).sort())
          expect(tell(await planAll(api, manifest))).toEqual([])
        }
      }),
      { seed: 20_261_128, cases: casesOn[driver], steps },
    )
  })
})

const line = (id: number, permission: string) => `${id} ${permission}`

function manifestOf(
  box: Sandbox,
  { declared, renamed, owns, hasRules, ruled, owner, members }: Step,
  numbers: Numbers,
) {
  const nameOf = (account: string, number: number) => `${box.top}-${account}-${number}`
  const principals = { user: new Map<string, WantedPrincipal>(), group: new Map<string, WantedPrincipal>() }
  const known: ReadonlySet<string> = new Set([...numbers.keys(), ...declared])
  const old = new Map(numbers)
  for (const account of known) {
    const number = numbers.get(account)
    numbers.set(account, number === undefined ? 0 : number + (renamed.some((one) => one === account) ? 1 : 0))
  }
  const names: ReadonlyMap<string, string> = new Map(
    [...numbers].map(([account, number]) => [account, nameOf(account, number)] as const),
  )
  const listed = groups
    .filter((group) => known.has(group))
    .map((group) => [group, members[group].filter((user) => known.has(user))] as const)
  const namesOf = (list: readonly string[]) => list.flatMap((account) => names.get(account) ?? [])
  for (const [account, key] of names) {
    const kind = groups.some((group) => group === account) ? 'group' : 'user'
    const was = old.get(account)
    const found = listed.find(([group]) => group === account)
    principals[kind].set(key, {
      ...{ kind, key, members: { display_name: `${box.top} ${account}` }, spanOf },
      ...(was === undefined || was === numbers.get(account) ? {} : { was: nameOf(account, was) }),
      ...(found === undefined ? {} : { memberships: { owns: 'all', names: namesOf(found[1]) } }),
    } as WantedPrincipal)
  }
  const shown = !hasRules ? [] : ruled.filter((account) => known.has(account))
  const rules = namesOf(shown).map((name) => ruleOf(name))
  const owned = owner === undefined ? undefined : names.get(owner)
  const block: Block = {
    ...(owned === undefined ? {} : { owner: owned }),
    ...(!hasRules ? {} : { permissions: { owns, rules } }),
  }
  const manifest: Manifest = { ...box.of({ T: block }), principals }
  return { manifest, names, ruled: shown, members: listed }
}

const spanOf = () => ({ file: 'test.yaml', line: 1, column: 1, endLine: 1, endColumn: 2 })

async function read(api: Api, keyname: string): Promise<Representation> {
  const [found] = (await api.call('resource.search', {
    query: { serialization: 'full' },
    more: [['keyname', keyname]],
  })) as Representation[]
  if (found === undefined) throw new Error(`no resource ${keyname}`)
  return found
}

/** Ids of users and groups by keyname. */
async function readIds(api: Api): Promise<Map<string, number>> {
  const all = [
    ...(await api.call('auth.user_list', { query: {} })),
    ...(await api.call('auth.group_list', { query: {} })),
  ]
  return new Map(all.map(({ id, keyname }) => [keyname, id]))
}

async function readMembers(api: Api, id: number): Promise<number[]> {
  const { members = [] } = await api.call('auth.group_get', { params: { id } })
  return members.toSorted()
}
