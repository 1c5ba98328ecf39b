import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { pullManifest } from '../../../src/cli/commands/pull.ts'
import { readChanges } from '../../../src/cli/pull_in_place.ts'
import type { Manifest, WantedRule } from '../../../src/manifest/manifest.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import type { PlanOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planUndo } from '../../../src/reconcile/undo/plan_undo.ts'
import { assertLaw, casesOn, patience } from '../../support/law_runs.ts'
import { addGroup, addUser, goodPassword } from '../../support/principals.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, manifestOf, ruleOf } from '../support/literals.ts'
import { type BothWays, planBothWays, readBothWays } from '../support/part_plans.ts'
import { renameKeys } from '../support/reference_edits.ts'
import { applyAll, type Blocks, emptyTree, pruning, renameTop } from '../support/sandbox.ts'

/** Resources that no manifest of a case is about, so that its own are a small part. */
const bystanders = 160

const rule: fc.Arbitrary<WantedRule> = fc
  .record({
    principal: fc.constantFrom('guest', 'everyone', 'owner', 'group:editors', 'group:viewers', 'dora'),
    scope: fc.constantFrom('resource', 'data', ''),
    propagate: fc.boolean(),
  })
  .map(({ principal, ...rest }) => ruleOf(principal, { ...rest, permission: rest.scope && 'read' }))
const rules = fc.array(fc.option(fc.array(rule, { maxLength: 2 }), { nil: undefined, freq: 2 }), {
  minLength: 27,
  maxLength: 27,
})

const keys = fc.uniqueArray(fc.nat(26), { maxLength: 6 })
const mostKeys = fc.uniqueArray(fc.nat(26), { minLength: 20, maxLength: 27 })
const world = fc.record({
  before: arbitraryTree('T'),
  after: arbitraryTree('T'),
  rules,
  /** The tree of another manifest, and which of its resources are those of the first. */
  other: arbitraryTree('T'),
  shared: mostKeys,
  renamed: keys,
  replaced: keys,
  isOpen: fc.boolean(),
})
type World = typeof world extends fc.Arbitrary<infer W> ? W : never

describeServer('what reads a part of the server', (start, driver) => {
  const runs = { seed: 20_261_201, cases: casesOn[driver] }
  let prepared: { readonly api: Api; readonly ada: Api; readonly group: number } | undefined
  let count = 0
  afterAll(async () => {
    await prepared?.api.close()
    await prepared?.ada.close()
  })

  async function prepare() {
    prepared ??= await populate(await start())
    await emptyTree(prepared.api, new Set([prepared.group]))
    count += 1
    return { ...prepared, top: `t${count}` }
  }

  it('is what reads all of it', patience, async () => {
    const seen = { parts: 0, all: 0, deletions: 0, access: 0 }
    const compare = <T>({ part, whole, reads }: BothWays<T>) => {
      expect(part).toEqual(whole)
      seen[reads.some((read) => read.startsWith('all')) ? 'all' : 'parts'] += 1
      return part
    }
    await assertLaw(
      fc.asyncProperty(world, async (drawn) => {
        const { api, ada, top } = await prepare()
        const of = (blocks: Blocks) =>
          manifestOf({ [top]: { displayName: top }, ...renameTop(blocks, top) }, top)
        await applyAll(api, of(drawn.before))
        await applyAll(api, otherOf(drawn, top))
        const wanted = manifestFor(drawn, top)
        const named = new Set(drawn.replaced.map((at) => `${top}.k${at}`))
        const variants: readonly [Api, Manifest, Partial<PlanOptions>][] = [
          [api, wanted, {}],
          [api, wanted, { ...pruning, allowDelete: named, allowLoss: named }],
          [api, wanted, { replace: named, adopt: true, take: named }],
          [api, of(drawn.before), { only: named }],
          [api, otherOf(drawn, top), pruning],
          [ada, wanted, pruning],
        ]
        for (const [account, manifest, options] of variants) {
          const plans = await planBothWays(account, manifest, options)
          const part = compare(plans)
          if (part.changes.some(({ action }) => action === 'delete')) seen.deletions += 1
          if ((part.access?.changes ?? []).length > 0) seen.access += 1
        }
        // Not in each case, since these read more.
        if (count % 5 === 1)
          for (const both of await readOtherwise({ api, ada, top, wanted })) compare<unknown>(both)
      }),
      runs,
    )
    expect(seen.all).toBeLessThan(seen.parts / 4)
    expect(Math.min(seen.deletions, seen.access)).toBeGreaterThan(runs.cases / 2)
  })
})

interface OtherReads {
  readonly api: Api
  readonly ada: Api
  readonly top: string
  readonly wanted: Manifest
}

/** Reads what other commands read: undo, and pull of a subtree and into a manifest. */
async function readOtherwise({ api, ada, top, wanted }: OtherReads) {
  const [latest] = await api.call('journal.list', { query: { limit: 1 } })
  const entry = await api.call('journal.get', { params: { id: latest?.id ?? 0 }, query: { before: true } })
  const allowed = { overwrite: new Set<string>(), allowDelete: new Set([top]), allowLoss: new Set([top]) }
  const options = { ...allowed, withoutData: false }
  const signal = new AbortController().signal
  return [
    await readBothWays(api, async (reader): Promise<unknown> => {
      const { plan, manifest } = await planUndo({ api, reader, entry, options, env: {} })
      return [withoutBefore(plan), JSON.stringify([...manifest.resources])]
    }),
    await readBothWays(api, (reader) =>
      pullManifest(api, { root: top, catalog: false, users: false, reader }),
    ),
    await readBothWays(ada, (reader) =>
      pullManifest(ada, { root: top, catalog: false, users: false, reader }).catch(({ code }) => code),
    ),
    await readBothWays(api, async (reader): Promise<unknown> => {
      const { plan, ...rest } = await readChanges({ api, reader, manifest: wanted, only: new Set(), signal })
      return { ...rest, plan: withoutBefore(plan) }
    }),
  ] as const
}

const withoutBefore = ({ before: _, ...plan }: Plan) => plan

/** Makes users and groups, and bystanders with rules for all of them. */
async function populate({ url, admin }: TestServer) {
  const login = (name: string, password: string) => createApi({ url, credentials: { login: name, password } })
  const api = login('administrator', adminPassword)
  const [ada, dora] = await Promise.all(['ada', 'dora', 'cara'].map((name) => addUser(admin, name)))
  await addGroup(admin, 'editors', [Number(dora)])
  await addGroup(admin, 'viewers', [Number(ada), Number(dora)])
  const everyone = ['group:editors', 'group:viewers', 'dora', 'cara', 'owner'].map((one) => ruleOf(one))
  const open = [...everyone, ruleOf('ada', { scope: '', permission: '', propagate: true })]
  const names = Array.from({ length: bystanders }, (_, at) => `bystander${at}`)
  const blocks = {
    root: {
      existing: true as const,
      id: 0,
      permissions: { owns: 'listed' as const, rules: [ruleOf('ada')] },
    },
    bystanders: { parent: 'root', permissions: { owns: 'all' as const, rules: open } },
    ...Object.fromEntries(names.map((name) => [name, { parent: 'bystanders' }])),
  }
  await applyAll(api, manifestOf(blocks, 'bystanders'))
  const [found] = await api.call('resource.search', { more: [['keyname', 'bystanders']] })
  return { api, ada: login('ada', goodPassword), group: (found as { resource: { id: number } }).resource.id }
}

function manifestFor({ after, rules: drawn, renamed, isOpen }: World, top: string): Manifest {
  const old = renamed.map((at) => `T.k${at}`).filter((key) => Object.hasOwn(after, key))
  const { blocks } = renameKeys(after, { keys: new Map(), renamed: old })
  const ruled = Object.entries(blocks).map(([key, { permissions: _, ...block }], at): [string, Block] => {
    const own = drawn[at]
    return [key, { ...block, ...(own === undefined ? {} : { permissions: { owns: 'all', rules: own } }) }]
  })
  const all = ruleOf('ada', { scope: '', permission: '', propagate: true })
  const group: Block = { displayName: top, permissions: { owns: 'all', rules: isOpen ? [all] : [] } }
  return manifestOf({ [top]: group, ...renameTop(Object.fromEntries(ruled), top) }, top)
}

/** The tree of another manifest: some of its resources are those of the first, and others refer to these or stand under them. */
function otherOf({ before, other, shared }: World, top: string): Manifest {
  const own = `${top}-other`
  const sharedKeys = shared.map((at) => `T.k${at}`).filter((key) => before[key] && other[key])
  let text = JSON.stringify(renameTop(other, own))
  for (const key of sharedKeys)
    text = text.replaceAll(`"${key.replace('T', own)}"`, `"${key.replace('T', top)}"`)
  const blocks = Object.entries(JSON.parse(text) as Record<string, Block>).map(([key, block]) => [
    key,
    key.startsWith(`${top}.`) ? { existing: true as const } : block,
  ])
  return manifestOf({ [own]: { displayName: own }, ...Object.fromEntries(blocks) }, own)
}
