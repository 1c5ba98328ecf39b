import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import { descriptorOf, isCls } from '../../../src/contract/registry.ts'
import { findReferences, targetIdOf } from '../../../src/contract/schema/references.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { findDrift } from '../../../src/reconcile/drift/find_drift.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { findRecorded, isAsRecorded } from '../../../src/reconcile/model/owned_fields.ts'
import { readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { findOrCreate } from '../../support/class_samples.ts'
import { type ForeignDatabase, useForeign } from '../../support/geodb.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { createGroup } from '../../support/resources.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'
import { connectAda, everything, nothing } from '../support/limited_account.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'
import { editUse, fieldOf, renameKeys } from '../support/reference_edits.ts'
import {
  arbitraryReferrers,
  clsOfKey,
  describeSite,
  foreignTable,
  listUses,
  siteOf,
  sites,
  targetBlocks,
  type Use,
} from '../support/reference_world.ts'
import { applyAll, type Blocks, planAll, renameTop, type Sandbox, useSandboxes } from '../support/sandbox.ts'

/** Applies of a run. */
const steps = 5

it('are drawn at every place that the contract declares, to every class that it allows there', () => {
  const drawn = fc.sample(arbitraryReferrers(), { seed: 20_261_201, numRuns: 100 }).flatMap(listUses)
  const seen = new Set(drawn.map(({ site, to }) => describeSite(site, clsOfKey(to))))
  const all = sites.flatMap((site) => site.target.classes.map((cls) => describeSite(site, cls)))
  expect(all.filter((one) => !seen.has(one))).toEqual([])
})

describeServer('references to resources', (start, driver) => {
  const runs = { seed: 20_261_202, cases: casesOn[driver], steps }
  const openForeign = useForeign()
  const kept = new Set<number>()
  const sandbox = useSandboxes(start, kept)
  let ada: Api | undefined
  afterAll(() => ada?.close())
  let creating: ReturnType<typeof createOutside> | undefined

  /** A group for a case, and the blocks that references of the case name. */
  async function prepare(): Promise<Sandbox & { readonly targets: Record<string, Block> }> {
    creating ??= createOutside(await start(), await openForeign())
    const { group, ...ids } = await creating
    kept.add(group)
    return { ...(await sandbox()), targets: targetBlocks(ids) }
  }

  const change = fc.record({
    place: fc.nat(100),
    to: fc.nat(100),
    renamed: fc.subarray(Object.keys(targetBlocks()).filter((key) => key.startsWith('T.a-'))),
    // First the renames alone: what refers to their keys is recorded with them.
    alone: fc.boolean(),
    atomic: fc.boolean(),
  })

  it(
    'change only where they are edited, and stay when what they name gets other keys and names',
    patience,
    async () => {
      await assertLaw(
        fc.asyncProperty(arbitraryReferrers(), stepsOf(change, steps), async (referrers, all) => {
          const { api, of, top, targets } = await prepare()
          let blocks: Record<string, Block> = { ...targets, ...referrers }
          let keys: ReadonlyMap<string, string> = new Map()
          await applyAll(api, of(blocks))
          const first = await planAll(api, of(blocks))
          expect(tell(first)).toEqual([])
          const ids = [...first.ids.values()].sort()
          for (const { place, to, renamed, alone, atomic } of all) {
            const edited = editUse(blocks, { place, to })
            const next = renameKeys(edited.blocks, { keys, renamed })
            const wanted = of(next.blocks)
            const keyNow = (key: string) => `${top}${(next.keys.get(key) ?? key).slice(1)}`
            expectOnly(await planAll(api, wanted), { renamed: renamed.map(keyNow), use: edited.use, keyNow })
            if (alone && renamed.length > 0) {
              await applyAll(api, wanted, { atomic, only: new Set(renamed.map(keyNow)) })
              await expectRecorded(api, wanted)
            }
            await applyAll(api, wanted, { atomic })
            await expectRecorded(api, wanted)
            const after = await planAll(api, wanted)
            const issues = after.issues.filter(({ code }) => code !== 'plan/spent')
            expect([tell(after), issues]).toEqual([[], []])
            expect([...after.ids.values()].sort()).toEqual(ids)
            await expectUses(
              api,
              listUses(edited.blocks).map((use) => ({ ...use, from: keyNow(use.from), to: keyNow(use.to) })),
              after.ids,
            )
            blocks = edited.blocks
            keys = next.keys
          }
        }),
        runs,
      )
    },
  )

  const deletion = fc.record({
    gone: fc.array(fc.nat(100), { minLength: 1, maxLength: 3 }),
    atomic: fc.boolean(),
  })

  it(
    'are listed with the deletion of what they name, which loses them and nothing else',
    patience,
    async () => {
      await assertLaw(
        fc.asyncProperty(arbitraryReferrers(), stepsOf(deletion, steps), async (referrers, all) => {
          const { api, of, top, targets } = await prepare()
          await applyAll(api, of(targets))
          const other = manifestOf(renameTop({ ...existing(targets), ...referrers }, top), `${top}-other`)
          await applyAll(api, other)
          const { ids } = await planAll(api, other)
          const wanted = (blocks: Blocks) => manifestOf({ [top]: { displayName: top }, ...blocks }, top)
          let left = renameTop(targets, top)
          let uses = listUses(renameTop(referrers, top))
          for (const { gone, atomic } of all) {
            const listed = chooseKeys(Object.keys(left), gone)
            const planned = await planAll(api, wanted(without(left, below(left, listed))))
            expectReferrers(planned, { blocks: left, gone: below(left, listed), uses })
            const free = listed.filter(
              (key) => !uses.some((use) => refuses(use) && below(left, [key]).includes(use.to)),
            )
            const deleted = below(left, free)
            left = without(left, deleted)
            const allowLoss = new Set(uses.map(({ from }) => from))
            await applyAll(api, wanted(left), { atomic, allowLoss })
            uses = uses.filter(({ to }) => !deleted.includes(to))
            await expectUses(api, uses, ids)
          }
        }),
        runs,
      )
    },
  )

  const isHidden = fc.array(fc.boolean(), { minLength: 100, maxLength: 100 })

  it(
    'are not compared by an account that cannot read what they name: nothing has changed',
    patience,
    async () => {
      let compared = 0
      await assertLaw(
        fc.asyncProperty(arbitraryReferrers(), isHidden, async (referrers, hidden) => {
          const { server, api, top, targets } = await prepare()
          ada ??= await connectAda(server)
          const permissions = { owns: 'all' as const, rules: [nothing] }
          const some = Object.entries(targets).map(([key, block], at): [string, Block] => [
            key,
            block.existing || !hidden[at] ? block : { ...block, permissions },
          ])
          const blocks = renameTop({ ...Object.fromEntries(some), ...referrers }, top)
          const whole: Block = { displayName: top, permissions: { owns: 'all', rules: [everything] } }
          const wanted = manifestOf({ [top]: whole, ...blocks }, top)
          await applyAll(api, wanted)
          const { byKeyname } = await readActualTree(ada)
          const plan = await planAll(ada, wanted)
          expect(tell(plan)).toEqual([])
          const drift = await findDrift({ api: ada, manifest: wanted, plan, ignored: () => false })
          expect(drift.resources).toEqual([])
          const uses = listUses(blocks).filter(({ from, to }) => byKeyname.has(from) && !byKeyname.has(to))
          const unknown = plan.unknown.filter(({ key }) => byKeyname.has(key)).map(({ key }) => key)
          expect(unknown.sort()).toEqual([...new Set(uses.map(({ from }) => from))].sort())
          compared += uses.length
        }),
        runs,
      )
      expect(compared).toBeGreaterThan(runs.cases)
    },
  )
})

/** Resources that need data or secrets, in a group of their own. */
async function createOutside({ admin }: TestServer, foreign: ForeignDatabase) {
  await foreign.execute(foreignTable)
  const group = await createGroup(admin, 0, { display_name: 'Outside' })
  const connection = (name: string) =>
    createResource(admin, {
      ...{ cls: 'geodb_connection', parent: group, name },
      members: { geodb_connection: foreign.connection },
    })
  const style = await findOrCreate({ ask: admin, ids: new Map([['resource_group', group]]) }, 'raster_style')
  return {
    group,
    geodb_connection: [await connection('One'), await connection('Two')],
    raster_style: [style],
  }
}

/**
 * Expects that a plan names the renamed resources anew, edits the field of a reference, and changes nothing else, but records again what
 * refers to renamed keys.
 */
function expectOnly(
  { changes: all, issues }: Plan,
  expected: {
    readonly renamed: readonly string[]
    readonly use: Use | undefined
    readonly keyNow: (key: string) => string
  },
): void {
  expect(issues).toEqual([])
  const changes = all.filter(({ records }) => records?.renamed === undefined)
  const recorded = all.filter(({ records }) => records?.renamed)
  for (const { action, edits, body } of recorded)
    expect([action, edits, Object.keys(body)]).toEqual(['adopt', [], ['resmeta']])
  const { renamed, use, keyNow } = expected
  const edited = use === undefined ? [] : [keyNow(use.from)]
  expect(changes.map(({ key }) => key).sort()).toEqual([...new Set([...renamed, ...edited])].sort())
  for (const { key, action, edits } of changes) {
    const names = renamed.includes(key) ? ['/display_name', '/keyname'] : []
    const field = use !== undefined && edited.includes(key) ? [fieldOf(use)] : []
    expect(action).toBe('update')
    const places = edits.map(({ pointer }) => (pointer.startsWith(`${field[0]}/`) ? field[0] : pointer))
    expect([...new Set(places)].sort()).toEqual([...names, ...field].sort())
  }
}

/** Expects that the records of a manifest have what the server has. */
async function expectRecorded(api: Api, manifest: Manifest): Promise<void> {
  const { byId, principals } = await readActualTree(api)
  const { ids } = await planAll(api, manifest)
  const keyOf = new Map([...ids].map(([key, id]) => [id, key] as const))
  const changed = [...byId.values()].flatMap((actual) =>
    [...(findRecorded(actual, manifest.id, principals)?.fields ?? [])].flatMap(([name, digest]) => {
      const isKnown = digest !== '' && name !== 'resmeta'
      const isSame = !isKnown || isAsRecorded({ name, digest }, actual, { keyOf, principals })
      return isSame ? [] : [`${actual.keyname} ${name}`]
    }),
  )
  expect(changed).toEqual([])
}

/** Expects that the server has exactly these references of resources of a manifest, and no others. */
async function expectUses(api: Api, uses: readonly Use[], ids: ReadonlyMap<string, number>): Promise<void> {
  const { byId } = await readActualTree(api)
  const keys = new Map([...ids].map(([key, id]) => [id, key] as const))
  const found = [...ids].flatMap(([key, id]) => {
    const { cls, members = {} } = byId.get(id) ?? {}
    if (!isCls(cls)) return []
    return Object.entries(descriptorOf(cls).members).flatMap(([name, schema]) =>
      findReferences(schema, members[name]).map(({ pointer, value }) => {
        const { path } = siteOf(cls, `/${name}${pointer}`)
        return `${key} ${path} ${keys.get(Number(targetIdOf(value)))}`
      }),
    )
  })
  expect(found.sort()).toEqual(uses.map(({ from, site, to }) => `${from} ${site.path} ${to}`).sort())
}

const refuses = ({ site }: Use) => site.target.onDelete === 'refuse'

/** The blocks as another manifest names resources that it does not manage. */
function existing(blocks: Blocks): Record<string, Block> {
  const named = Object.entries(blocks).map(([key, { id }]): [string, Block] => [
    key,
    { existing: true, ...(id === undefined ? {} : { id }) },
  ])
  return { T: { existing: true }, ...Object.fromEntries(named) }
}

function without(blocks: Blocks, gone: readonly string[]): Record<string, Block> {
  return Object.fromEntries(Object.entries(blocks).filter(([key]) => !gone.includes(key)))
}

/** Keys of managed resources by their places. */
function chooseKeys(keys: readonly string[], places: readonly number[]): string[] {
  const own = keys.filter((key) => key.includes('.a-'))
  return [...new Set(places.flatMap((place) => own[place % own.length] ?? []))]
}

/** Keys with those of the resources below them. */
function below(blocks: Blocks, keys: readonly string[]): string[] {
  return Object.keys(blocks).filter((key) => keys.includes(key) || keys.includes(blocks[key]?.parent ?? ''))
}

/** Expects that the deletions of a plan list who refers to what they delete, and are errors if someone does. */
function expectReferrers(
  { changes, issues }: Plan,
  {
    blocks,
    gone,
    uses,
  }: { readonly blocks: Blocks; readonly gone: readonly string[]; readonly uses: readonly Use[] },
): void {
  const deleting = changes.map(({ key }) => key)
  const ownerOf = (key: string) => (deleting.includes(key) ? key : (blocks[key]?.parent ?? ''))
  const broken = uses.filter(({ to }) => gone.includes(to))
  const expected = broken.map(
    (use) =>
      `${ownerOf(use.to)} ${use.from} ${broken.some((one) => one.from === use.from && ownerOf(one.to) === ownerOf(use.to) && refuses(one))}`,
  )
  const listed = changes.flatMap(({ key, takes }) =>
    (takes?.referrers ?? []).map((referrer) => `${key} ${referrer.key} ${referrer.refuses}`),
  )
  expect(changes.every(({ action }) => action === 'delete')).toBe(true)
  expect(listed.sort()).toEqual([...new Set(expected)].sort())
  expect(issues.filter(({ code }) => code === 'plan/referenced').length).toBe(listed.length)
}
