import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { namesOf } from '../../../src/access/permission_mask.ts'
import { type Api, createApi } from '../../../src/api/api.ts'
import { permissionNames } from '../../../src/contract/permissions.ts'
import type { Manifest, WantedRule } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest, readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { findPermissionMasks } from '../../../src/store/access/effective_permission.ts'
import { findUserById } from '../../../src/store/auth/principal.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { addGroup, addUser } from '../../support/principals.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { manifestOf, ruleOf } from '../support/literals.ts'
import { emptyTree, renameTop } from '../support/sandbox.ts'

/** Trees of a run, each applied to the one before. */
const steps = 5

/** Users of the server, and the principals of the report that stand for them. */
const standsFor = {
  guest: 'user:guest',
  cara: 'user:authenticated',
  ada: 'group:editors',
  bob: 'group:viewers',
  dora: 'user:dora',
} as const

type Login = keyof typeof standsFor
const logins = Object.keys(standsFor) as Login[]

/** Principals that a rule may deny without taking permissions from the administrator. */
const deniable = ['guest', 'group:editors', 'group:viewers', 'dora']
const allowable = [...deniable, 'everyone', 'authenticated', 'owner']

const words = [
  ['', ''],
  ['resource', ''],
  ['resource', 'read'],
  ['data', ''],
  ['data', 'read'],
] as const
const allWords = permissionNames.map((name) => name.split('.') as [string, string])

const shape = fc.record({
  identity: fc.constantFrom('', '', '', 'vector_layer', 'webmap', 'resource_group'),
  words: fc.oneof(fc.constantFrom(...words), fc.constantFrom(...allWords)),
  propagate: fc.boolean(),
})
const rule: fc.Arbitrary<WantedRule> = fc
  .tuple(
    shape,
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...allowable).map((one) => ['allow', one] as const) },
      { weight: 1, arbitrary: fc.constantFrom(...deniable).map((one) => ['deny', one] as const) },
    ),
  )
  .map(
    ([
      {
        words: [scope, permission],
        ...rest
      },
      [action, principal],
    ]) => ({
      ...rest,
      action,
      principal,
      scope,
      permission,
    }),
  )

const access = fc.record({
  rules: fc.option(fc.array(rule, { maxLength: 3 }), { nil: undefined, freq: 2 }),
  owner: fc.constantFrom(undefined, undefined, 'dora', 'ada'),
})
const world = fc.record({
  blocks: arbitraryTree('T'),
  top: fc.array(rule, { maxLength: 4 }),
  access: fc.array(access, { minLength: 27, maxLength: 27 }),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

/** Rules that name every group and user, so that the report has a line of its own for each. */
const naming = ['group:editors', 'group:viewers', 'dora'].map((principal) =>
  ruleOf(principal, { scope: 'metadata', permission: 'write' }),
)

type Held = Map<string, ReadonlySet<string>>

describeServer('the permissions of a plan', (start, driver) => {
  const runs = { seed: 20_261_123, cases: casesOn[driver], steps }
  let api: Api | undefined
  let ids: Record<Login, number>
  let count = 0

  async function prepare(): Promise<Api> {
    if (api !== undefined) return api
    const { url, admin } = await start()
    api = createApi({ url, credentials: { login: 'administrator', password: adminPassword } })
    const [ada, bob, cara, dora] = await Promise.all(
      ['ada', 'bob', 'cara', 'dora'].map((name) => addUser(admin, name)),
    )
    await addGroup(admin, 'editors', [ada, dora].map(Number))
    await addGroup(admin, 'viewers', [bob, dora].map(Number))
    const root = await admin('GET', '/api/resource/0')
    const { resource } = await root.json<{ resource: { permissions: object[] } }>()
    const open = {
      action: 'allow',
      principal: { id: 2 },
      identity: '',
      scope: 'resource',
      permission: 'read',
    }
    const permissions = [...resource.permissions, { ...open, propagate: false }]
    expect((await admin('PUT', '/api/resource/0', { resource: { permissions } })).status).toBe(200)
    ids = { guest: 1, ada: ada ?? 0, bob: bob ?? 0, cara: cara ?? 0, dora: dora ?? 0 }
    return api
  }

  afterAll(() => api?.close())

  it(
    'equal those of the server before and after the apply, for every tree, user, group and rule',
    patience,
    async () => {
      const seen = { gain: 0, loss: 0 }
      const property = fc.asyncProperty(stepsOf(world, steps), async (worlds) => {
        const tool = await prepare()
        await emptyTree(tool)
        count += 1
        let before: ReadonlyMap<Login, Held> = new Map(logins.map((login) => [login, new Map()]))
        for (const wanted of worlds) {
          const manifest = manifestFor(wanted, `t${count}`)
          const plan = await planManifest({
            api: tool,
            manifest,
            options: { ...safeOptions, prune: true, fuse: 1 },
          })
          const { outcomes } = await applyPlan({ api: tool, plan })
          expect(
            outcomes.filter(({ outcome }) => outcome === 'failed').map(({ problem }) => problem?.message),
          ).toEqual([])
          const after = await readHeld(await start(), { api: tool, ids }, manifest)
          expect(plan.access).toMatchObject({ complete: true, users: true })
          const expected = logins.flatMap((login) =>
            differences(standsFor[login], before.get(login), after.get(login)),
          )
          const reported = (plan.access?.changes ?? []).flatMap(
            ({ principals, change, permissions, resources, on }) =>
              principals.flatMap((principal) =>
                resources.map(({ key }) => `${principal} ${change} ${on} ${key} ${permissions.join(' ')}`),
              ),
          )
          expect(reported.filter(isWatched).sort()).toEqual(expected.sort())
          for (const line of expected) seen[line.includes(' gain ') ? 'gain' : 'loss'] += 1
          before = after
        }
      })
      await assertLaw(property, runs)
      // A few cases may have none.
      expect(Math.min(seen.gain, seen.loss)).toBeGreaterThan((runs.cases - 10) / 3)
    },
  )
})

const watched: ReadonlySet<string> = new Set(Object.values(standsFor))
const isWatched = (line: string) => watched.has(line.slice(0, line.indexOf(' ')))

function manifestFor({ blocks, top, access: drawn }: World, key: string): Manifest {
  const of = (rules: readonly WantedRule[]) => ({ owns: 'all' as const, rules: distinct(rules) })
  const named = renameTop(blocks, key)
  const ruled = Object.entries(named).map(([name, { permissions: _, ...block }], at) => {
    const { rules, owner } = drawn[at] ?? {}
    const permissions = rules === undefined ? {} : { permissions: of(rules) }
    return [name, { ...block, ...permissions, ...(owner === undefined ? {} : { owner }) }] as const
  })
  const group = { displayName: key, permissions: of([...naming, ...top]) }
  return manifestOf({ [key]: group, ...Object.fromEntries(ruled) }, key)
}

const distinct = (rules: readonly WantedRule[]) => [
  ...new Map(rules.map((one) => [JSON.stringify(Object.entries(one).sort()), one])).values(),
]

/** Reads what the server says that users may do with the resources of a manifest. */
async function readHeld(
  { database }: TestServer,
  { api, ids }: { readonly api: Api; readonly ids: Record<Login, number> },
  { resources }: Manifest,
): Promise<ReadonlyMap<Login, Held>> {
  const { byKeyname } = await readActualTree(api)
  const found = [...resources.keys()].flatMap((key) => {
    const id = byKeyname.get(key)?.id
    return id === undefined ? [] : [{ key, id }]
  })
  // One statement for each user instead of a request for each resource, from which the route answers.
  const held = logins.map(async (login): Promise<[Login, Held]> => {
    const user = await findUserById(database, ids[login])
    if (user === undefined) throw new Error(`no user ${login}`)
    const masks = await findPermissionMasks(
      database,
      user,
      found.map(({ id }) => id),
    )
    return [login, new Map(found.map(({ key, id }) => [key, new Set(namesOf(masks.get(id) ?? 0))]))]
  })
  return new Map(await Promise.all(held))
}

function differences(principal: string, before: Held = new Map(), after: Held = new Map()): string[] {
  const none: ReadonlySet<string> = new Set()
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, next] = [before.get(key), after.get(key)]
    const on = old === undefined ? 'new' : next === undefined ? 'deleted' : 'existing'
    const only = (these: ReadonlySet<string> = none, those: ReadonlySet<string> = none) =>
      permissionNames.filter((name) => these.has(name) && !those.has(name))
    const line = (change: string, names: readonly string[]) =>
      names.length === 0 ? [] : [`${principal} ${change} ${on} ${key} ${names.join(' ')}`]
    return [...line('gain', only(next, old)), ...line('loss', only(old, next))]
  })
}
