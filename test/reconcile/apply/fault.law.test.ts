import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { type JournalEntry, successWords } from '../../../src/contract/bodies/journal.ts'
import { isProblem } from '../../../src/core/problem.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Report } from '../../../src/reconcile/apply/outcome.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest, readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { planUndo } from '../../../src/reconcile/undo/plan_undo.ts'
import { type Fault, type FaultProxy, faults, startFaultProxy } from '../../support/fault_proxy.ts'
import { assertLaw, casesOn, isSoak, patience, stepsOf } from '../../support/law_runs.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'
import { type Blocks, emptyTree, renameTop } from '../support/sandbox.ts'

/** Applies of a run. */
const steps = 5

const runs = { seed: 20_260_302, cases: casesOn.postgres, steps }

let server: TestServer
let direct: Api
let proxied: Api
let proxy: FaultProxy
let folder: string
let count = 0

beforeAll(async () => {
  server = await startTestServer('postgres')
  proxy = await startFaultProxy(server.url)
  const credentials = { login: 'administrator', password: adminPassword }
  direct = createApi({ url: server.url, credentials })
  proxied = createApi({ url: proxy.url, credentials, retry: { times: 2, firstDelayMs: 1, maxDelayMs: 1 } })
  folder = await mkdtemp(join(tmpdir(), 'landform-faults-'))
  for (const edition of [1, 2])
    await writeFile(
      sourceOf(edition),
      geojson(
        [1, 2, 3].slice(edition - 1).map((at) => ({ geometry: point(at, edition), properties: { at } })),
      ),
    )
})

afterAll(async () => {
  await direct.close()
  await proxied.close()
  await proxy.stop()
  await server.stop()
  await rm(folder, { recursive: true })
})

const sourceOf = (edition: number) => join(folder, `${edition}.geojson`)

/** A tree in a group of its own for each case, some with a layer that has data, whose loads take most of the time. */
async function sandbox(hasData: boolean) {
  await emptyTree(direct)
  count += 1
  const top = `t${count}`
  return (blocks: Blocks, edition: number): Manifest => {
    const data = { path: sourceOf(edition), source: sourceOf(edition), options: {} }
    const layer: Block = { cls: 'vector_layer', parent: top, displayName: 'With data', data }
    const all = { [top]: { displayName: top }, ...renameTop(blocks, top) }
    return manifestOf(hasData ? { ...all, [`${top}.data`]: layer } : all, top)
  }
}

function plan(manifest: Manifest, api = direct): Promise<Plan> {
  const allowed = new Set(manifest.resources.keys())
  const options = { ...safeOptions, prune: true, fuse: 1, allowLoss: allowed, overwriteData: allowed }
  return planManifest({ api, manifest, options: { ...options, overwriteData: new Set() } })
}

async function apply(manifest: Manifest, atomic: boolean): Promise<void> {
  const { outcomes } = await applyPlan({ api: direct, plan: await plan(manifest), atomic })
  expect(
    outcomes.flatMap(({ change, problem }) => (problem ? [`${change.key}: ${problem.message}`] : [])),
  ).toEqual([])
}

/** Applies a plan through a fault; a client that waits for ever is stopped by its user. */
async function applyThrough(
  planned: Plan,
  atomic: boolean,
  { at, fault }: { at: number; fault: Fault },
): Promise<Report | undefined> {
  const stop = new AbortController()
  const hit = proxy.strike(at, fault)
  if (fault === 'hang') void hit.then(() => stop.abort())
  try {
    const signals = { signal: stop.signal, breakOff: stop.signal }
    return await applyPlan({ api: proxied, plan: planned, atomic, concurrency: 2, ...signals })
  } catch (error) {
    if (!isProblem(error)) throw error
    return undefined
  } finally {
    proxy.rest()
  }
}

/** Keys of the changes that are still to be made. */
const keysOf = ({ changes }: Plan) => new Set(changes.map(({ key }) => key))

async function lastEntry(manifest: Manifest): Promise<JournalEntry | undefined> {
  const [latest] = await direct.call('journal.list', { query: { limit: 1 } })
  if (latest === undefined || latest.manifest !== manifest.id) return undefined
  return direct.call('journal.get', { params: { id: latest.id }, query: { before: true } })
}

const isDone = ({ outcome }: { readonly outcome: string | null }) =>
  successWords.some((word) => word === outcome)

const step = fc.record({
  blocks: arbitraryTree('T'),
  atomic: fc.boolean(),
  at: fc.nat(isSoak ? 20 : 9),
  fault: fc.constantFrom(...faults),
})
const someData = fc.nat(9).map((pick) => pick === 0)

it(
  'an apply through faults reports and records what it did, and an apply after it completes it',
  patience,
  async () => {
    await assertLaw(
      fc.asyncProperty(arbitraryTree('T'), stepsOf(step, steps), someData, async (first, all, hasData) => {
        const of = await sandbox(hasData)
        await apply(of(first, 1), true)
        for (const [place, { blocks, atomic, at, fault }] of all.entries()) {
          const edition = 2 - (place % 2)
          const wanted = of(blocks, edition)
          const planned = await plan(wanted)
          const report = await applyThrough(planned, atomic, { at, fault })
          await expectTrue({ wanted, planned, report, atomic })
          await apply(wanted, atomic)
          const next = await plan(wanted)
          expect([tell(next), next.issues.filter(({ severity }) => severity === 'error')]).toEqual([[], []])
          if (!hasData) continue
          const params = { id: next.ids.get(`t${count}.data`) ?? 0 }
          expect(await direct.call('feature.count', { params })).toMatchObject({ total_count: 4 - edition })
        }
      }),
      runs,
    )
  },
)

/** Expects that the report of an interrupted apply, and its entry in the journal, tell what it did. */
async function expectTrue(one: {
  readonly wanted: Manifest
  readonly planned: Plan
  readonly report: Report | undefined
  readonly atomic: boolean
}): Promise<void> {
  const { wanted, planned, report, atomic } = one
  const open = keysOf(await plan(wanted))
  const claimed = report?.outcomes.filter(isDone).map(({ change }) => change.key) ?? []
  expect(claimed.filter((key) => open.has(key))).toEqual([])
  if (atomic) {
    const done = planned.changes.filter(({ key }) => !open.has(key))
    expect([0, planned.changes.length]).toContain(done.length)
    if (report !== undefined && !report.uncertain && claimed.length === 0) expect(done).toEqual([])
  }
  const entry = await lastEntry(wanted)
  if (entry?.plan !== planned.fingerprint) return
  const recorded = new Set(entry.changes?.filter(isDone).map(({ key }) => key))
  const made = planned.changes.flatMap(({ key }) => (open.has(key) ? [] : [key]))
  expect(made.filter((key) => !recorded.has(key))).toEqual([])
}

it('an undo takes back what an apply did before its client was lost', patience, async () => {
  await assertLaw(
    fc.asyncProperty(arbitraryTree('T'), stepsOf(step, steps), someData, async (before, all, hasData) => {
      const of = await sandbox(hasData)
      await apply(of(before, 1), true)
      for (const { blocks, at } of all) {
        const planned = await plan(of(blocks, 2))
        await applyThrough(planned, false, { at, fault: 'die' })
        const entry = await lastEntry(of(blocks, 2))
        if (entry?.plan !== planned.fingerprint || !entry.changes?.some(isDone)) {
          await apply(of(before, 1), true)
          continue
        }
        await undoLost(entry, planned)
        expect(tell(await plan(of(before, 1)))).toEqual([])
      }
    }),
    runs,
  )
})

/** Undoes an apply whose client was lost. */
async function undoLost(entry: JournalEntry, planned: Plan): Promise<void> {
  const all = new Set(planned.changes.map(({ key }) => key))
  const allowed = { overwrite: new Set<string>(), allowDelete: all, allowLoss: all, withoutData: false }
  const undo = await planUndo({ api: direct, entry, options: allowed, env: {} })
  expect(undo.plan.issues.filter(({ severity }) => severity === 'error')).toEqual([])
  const isOpen = undo.plan.issues.some(({ code }) => code === 'undo/running')
  expect(isOpen).toBe(entry.result === null)
  await applyPlan({ api: direct, plan: undo.plan, undoes: entry.id })
  const { result } = await direct.call('journal.get', { params: { id: entry.id }, query: {} })
  expect(result).toBe(entry.result ?? 'interrupted')
}

it('two applies at once end as one after the other, and report what they did', patience, async () => {
  const other = fc.option(arbitraryTree('T'), { nil: undefined, freq: 1 })
  const both = fc.record({ after: arbitraryTree('T'), other, atomic: fc.boolean() })
  await assertLaw(
    fc.asyncProperty(arbitraryTree('T'), stepsOf(both, steps), someData, async (first, all, hasData) => {
      const of = await sandbox(hasData)
      await apply(of(first, 1), true)
      for (const [place, { after, other: different, atomic }] of all.entries()) {
        const edition = 2 - (place % 2)
        const wanted = [of(after, edition), of(different ?? after, edition)] as const
        const planned = [await plan(wanted[0]), await plan(wanted[1], proxied)] as const
        const reports = await Promise.all([
          applyPlan({ api: direct, plan: planned[0], atomic }),
          applyPlan({ api: proxied, plan: planned[1], atomic }),
        ])
        await expectOneByOne(wanted, reports, atomic)
        await apply(wanted[0], true)
        expect(tell(await plan(wanted[0]))).toEqual([])
      }
    }),
    runs,
  )
})

/** Expects that what two applies report is so, unless the other one says that it changed it too, and that nothing is there twice. */
async function expectOneByOne(wanted: readonly Manifest[], reports: readonly Report[], atomic: boolean) {
  const made = reports.map(({ outcomes }) => outcomes.filter(isDone).map(({ change }) => change.key))
  for (const [at, { outcomes, problem }] of reports.entries()) {
    const open = keysOf(await plan(wanted[at] as Manifest))
    const other = made[1 - at] ?? []
    expect(made[at]?.filter((key) => open.has(key) && !other.includes(key))).toEqual([])
    const silent = outcomes.filter((one) => !isDone(one) && !one.problem && !one.because)
    if (problem === undefined) expect(silent).toEqual([])
    if (atomic) expect([0, outcomes.length]).toContain(made[at]?.length)
  }
  const { byId } = await readActualTree(direct)
  const places = [...byId.values()].map(({ parentId, displayName }) => `${parentId} ${displayName}`)
  expect(places.length).toBe(new Set(places).size)
}
