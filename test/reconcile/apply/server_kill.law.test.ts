import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import { successWords } from '../../../src/contract/bodies/journal.ts'
import { isProblem } from '../../../src/core/problem.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { Report } from '../../../src/reconcile/apply/outcome.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { drivers } from '../../support/drivers.ts'
import { type FaultProxy, startFaultProxy } from '../../support/fault_proxy.ts'
import {
  createServerEnvironment,
  type KillableServer,
  type ServerEnvironment,
} from '../../support/killable.ts'
import { assertLaw, casesOn, isSoak, patience, stepsOf } from '../../support/law_runs.ts'
import { adminPassword } from '../../support/server.ts'
import { geojson, point } from '../../support/vector.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'
import { applyAll, type Blocks, emptyTree, planAll, renameTop } from '../support/sandbox.ts'

/** Applies that run when a server is killed: a start of a server takes longer than all of them. */
const applies = 5

/** Times that the server is killed in a run. The embedded database takes long to start. */
const kills = { postgres: 5, pglite: isSoak ? 5 : 1 }

const step = fc.record({ blocks: arbitraryTree('T'), atomic: fc.boolean() })
const round = fc.record({
  wanted: stepsOf(step, applies),
  /** The request, of all applies, that the server does not survive, and the statement. */
  at: fc.nat(30),
  statements: fc.integer({ min: 1, max: 150 }),
})

describe.each(drivers)('an apply whose server on %s is killed', (driver) => {
  let environment: ServerEnvironment
  let server: KillableServer
  let proxy: FaultProxy
  let api: Api
  let folder: string
  let count = 0

  beforeAll(async () => {
    environment = await createServerEnvironment(driver)
    server = await environment.start({ killsItself: true })
    proxy = await startFaultProxy(server.url)
    const credentials = { login: 'administrator', password: adminPassword }
    api = createApi({ url: proxy.url, credentials, retry: { times: 2, firstDelayMs: 1, maxDelayMs: 1 } })
    folder = await mkdtemp(join(tmpdir(), 'landform-server-kill-'))
    for (const edition of [1, 2]) {
      const rows = [1, 2, 3].slice(edition - 1)
      const features = rows.map((at) => ({ geometry: point(at, edition), properties: { at } }))
      await writeFile(join(folder, `${edition}.geojson`), geojson(features))
    }
  })
  afterAll(async () => {
    await api.close()
    await proxy.stop()
    await environment.remove()
    await rm(folder, { recursive: true })
  })

  /** The manifest of one of the applies; the first one has a layer with data. */
  function manifestFor(top: string, blocks: Blocks, edition: number | undefined): Manifest {
    const path = join(folder, `${edition}.geojson`)
    const data = { path, source: path, options: {} }
    const layer: Block = { cls: 'vector_layer', parent: top, displayName: 'With data', data }
    const all = { [top]: { displayName: top }, ...renameTop(blocks, top) }
    return manifestOf(edition === undefined ? all : { ...all, [`${top}.data`]: layer }, top)
  }

  async function restart(): Promise<void> {
    proxy.rest()
    await server.kill()
    server = await environment.start({ killsItself: true })
    proxy.target = server.url
  }

  it('reports what it did, and applied again it is as if it had not been interrupted', patience, async () => {
    const rounds = kills[driver]
    let interrupted = 0
    await assertLaw(
      fc.asyncProperty(stepsOf(round, rounds), async (all) => {
        await emptyTree(api)
        count += 1
        for (const [place, { wanted, at, statements }] of all.entries()) {
          const edition = 1 + (place % 2)
          const manifests = wanted.map(({ blocks }, own) =>
            manifestFor(`t${count}-${own}`, blocks, own === 0 ? edition : undefined),
          )
          const plans = await Promise.all(manifests.map((one) => planAll(api, one)))
          proxy.killDuring(at, statements)
          const reports = await Promise.all(
            plans.map((plan, own) => applyInterrupted(api, plan, wanted[own]?.atomic ?? true)),
          )
          await restart()
          interrupted += reports.filter((report) => !isWhole(report)).length
          for (const [own, manifest] of manifests.entries()) {
            const atomic = wanted[own]?.atomic ?? true
            await expectTrue({ api, manifest, plan: plans[own] as Plan, report: reports[own], atomic })
            await applyAll(api, manifest, { atomic })
            const { ids, ...next } = await planAll(api, manifest)
            expect(tell({ ids, ...next })).toEqual([])
            if (own > 0) continue
            const params = { id: ids.get(`${manifest.id}.data`) ?? 0 }
            expect(await api.call('feature.count', { params })).toMatchObject({ total_count: 4 - edition })
          }
          await expectOnly(api, manifests)
        }
      }),
      { seed: 20_261_203, cases: casesOn[driver], steps: rounds * applies },
    )
    expect(interrupted).toBeGreaterThan(0)
  })
})

/** Applies a plan to a server that dies. */
async function applyInterrupted(api: Api, plan: Plan, atomic: boolean): Promise<Report | undefined> {
  try {
    return await applyPlan({ api, plan, atomic, concurrency: 2 })
  } catch (error) {
    if (!isProblem(error)) throw error
    return undefined
  }
}

const isDone = ({ outcome }: { readonly outcome: string }) => successWords.some((word) => word === outcome)

const isWhole = (report: Report | undefined) => report?.outcomes.every(isDone) === true

/** Expects that a report claims nothing that is not done, and that a transaction did all or nothing. */
async function expectTrue(one: {
  readonly api: Api
  readonly manifest: Manifest
  readonly plan: Plan
  readonly report: Report | undefined
  readonly atomic: boolean
}): Promise<void> {
  const { api, manifest, plan, report, atomic } = one
  const open = new Set((await planAll(api, manifest)).changes.map(({ key }) => key))
  const claimed = report?.outcomes.filter(isDone).map(({ change }) => change.key) ?? []
  expect(claimed.filter((key) => open.has(key))).toEqual([])
  if (!atomic) return
  const done = plan.changes.filter(({ key }) => !open.has(key))
  expect([0, plan.changes.length]).toContain(done.length)
  if (report !== undefined && !report.uncertain && claimed.length === 0) expect(done).toEqual([])
}

/** Expects that a server has the resources of manifests, each once, and no others. */
async function expectOnly(api: Api, manifests: readonly Manifest[]): Promise<void> {
  const { byId } = await readActualTree(api)
  const keys = manifests.flatMap(({ resources }) =>
    [...resources.values()].filter(({ existing }) => !existing),
  )
  const found = [...byId.values()].filter(({ parentId }) => parentId !== null).map(({ keyname }) => keyname)
  expect(found.sort()).toEqual(keys.map(({ key }) => key).sort())
}
