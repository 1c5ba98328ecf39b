import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { ApplyOptions } from '../../../src/reconcile/apply/apply_options.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { ApplyEvent, Report } from '../../../src/reconcile/apply/outcome.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { type PlanOptions, safeOptions } from '../../../src/reconcile/model/plan_input.ts'
import { planManifest, readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { pullTree } from '../../../src/reconcile/pull/pull_tree.ts'
import { adminPassword, describeServers, type TestServer } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, manifestOf, tell } from '../support/literals.ts'
import { loadWritten } from '../support/written.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
// Shrinking asks a server again and again: only who has time for it waits for the smallest case.
const runs = { seed: 20_240_601, numRuns: soak ? 60 : 4, endOnFailure: !soak }

/** All or nothing, as our own server offers it, and one by one, as on others. */
const ways = [
  ['in one transaction', true],
  ['request by request', false],
] as const

type Blocks = Readonly<Record<string, Block>>

describeServers('an apply', (start) => {
  const tools = new Map<TestServer, Api>()
  let count = 0

  /** A group of its own for each case, so that cases do not see each other. */
  async function sandbox() {
    const server = await start()
    const api = tools.get(server) ?? connect(server)
    tools.set(server, api)
    count += 1
    const top = `t${count}`
    const of = (blocks: Blocks): Manifest =>
      manifestOf({ [top]: { displayName: top }, ...rename(blocks, top) }, top)
    return { api, top, of }
  }

  afterAll(async () => {
    for (const api of tools.values()) await api.close()
  })

  describe.each(ways)('%s', (_, atomic) => {
    it('makes the next plan empty, whatever the tree was before', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryTree('T'), arbitraryTree('T'), async (before, after) => {
          const { api, of } = await sandbox()
          for (const blocks of [before, after]) {
            await apply(api, of(blocks), atomic)
            expect(tell(await plan(api, of(blocks)))).toEqual([])
          }
        }),
        runs,
      )
    })

    it('resumes after an interruption with the same result', async () => {
      await fc.assert(
        fc.asyncProperty(
          arbitraryTree('T'),
          arbitraryTree('T'),
          fc.nat(6),
          async (before, after, stopAfter) => {
            const { api, of } = await sandbox()
            await apply(api, of(before), atomic)
            await interrupt({ api, plan: await plan(api, of(after)), atomic }, stopAfter)
            await apply(api, of(after), atomic)
            expect(tell(await plan(api, of(after)))).toEqual([])
          },
        ),
        runs,
      )
    })

    it('results in the same tree when requests are interrupted', async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryTree('T'), fc.nat(4), async (blocks, stopAfter) => {
          const { api, of } = await sandbox()
          await interrupt({ api, plan: await plan(api, of(blocks)), atomic }, stopAfter, 'break off')
          await apply(api, of(blocks), atomic)
          expect(tell(await plan(api, of(blocks)))).toEqual([])
        }),
        runs,
      )
    })

    it('permutes the names and positions of siblings', async () => {
      const names = ['A', 'B', 'C', 'D', 'E']
      const places = fc.record({
        order: fc.shuffledSubarray(names, { minLength: names.length }),
        // Names make cycles where most stay in one place.
        groups: fc.array(fc.constantFrom('', '', '', '', 'g', 'h'), {
          minLength: names.length,
          maxLength: names.length,
        }),
      })
      const blocksOf = ({ order, groups }: { order: string[]; groups: string[] }): Blocks => {
        const below = names.map((_, at): [string, Block] => {
          const parent = groups[at] ? `T.${groups[at]}` : 'T'
          return [`T.r${at}`, { parent, displayName: order[at] ?? '' }]
        })
        return { 'T.g': { parent: 'T' }, 'T.h': { parent: 'T' }, ...Object.fromEntries(below) }
      }
      await fc.assert(
        fc.asyncProperty(places, places, async (before, after) => {
          const { api, of } = await sandbox()
          await apply(api, of(blocksOf(before)), atomic)
          const planned = await plan(api, of(blocksOf(after)))
          expect(planned.changes.every(({ action }) => action === 'move' || action === 'update')).toBe(true)
          await apply(api, of(blocksOf(after)), atomic)
          expect(tell(await plan(api, of(blocksOf(after))))).toEqual([])
        }),
        { ...runs, numRuns: runs.numRuns * 2 },
      )
    })
  })

  it('changes only the ownership marks of a pulled tree', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), async (blocks) => {
        const { api, of, top } = await sandbox()
        await apply(api, of(blocks))
        expect(tell(await plan(api, await pull(api, top, top)))).toEqual([])
        await forget(api, top)
        const pulled = await pull(api, top, `${top}-again`)
        const planned = await plan(api, pulled)
        for (const { adopts, edits } of planned.changes) {
          expect(adopts).toBe(true)
          expect(edits.map(({ pointer }) => pointer).filter((pointer) => pointer !== '/keyname')).toEqual([])
        }
        await apply(api, pulled)
        expect(tell(await plan(api, pulled))).toEqual([])
      }),
      runs,
    )
  })
})

function connect({ url }: TestServer): Api {
  return createApi({ url, credentials: { login: 'administrator', password: adminPassword } })
}

/** Puts the name of the case in the place of `T` in keys and references. */
function rename(blocks: Blocks, top: string): Blocks {
  return JSON.parse(
    JSON.stringify(blocks).replaceAll('"T.', `"${top}.`).replaceAll('"T"', `"${top}"`),
  ) as Blocks
}

const everything: PlanOptions = { ...safeOptions, prune: true, fuse: 1 }

function plan(api: Api, manifest: Manifest): Promise<Plan> {
  return planManifest({ api, manifest, options: everything })
}

async function apply(api: Api, manifest: Manifest, atomic = true): Promise<Report> {
  const planned = await plan(api, manifest)
  const report = await applyPlan({ api, plan: planned, atomic })
  const failed = report.outcomes.filter(({ outcome }) => outcome === 'failed' || outcome === 'skipped')
  expect(failed.map(({ change, problem }) => `${change.key}: ${problem?.message}`)).toEqual([])
  expect(report.atomic).toBe(atomic && planned.changes.length > 0)
  return report
}

async function interrupt(
  options: Pick<ApplyOptions, 'api' | 'plan' | 'atomic'>,
  stopAfter: number,
  how = 'finish',
): Promise<void> {
  const stop = new AbortController()
  let finished = 0
  const onEvent = (event: ApplyEvent) => {
    if (event.type === 'finished') finished += 1
    if (finished >= stopAfter) stop.abort()
  }
  const breakOff = how === 'break off' ? stop.signal : undefined
  await applyPlan({ ...options, signal: stop.signal, breakOff, onEvent, concurrency: 2 })
}

async function pull(api: Api, key: string, manifestId: string): Promise<Manifest> {
  const tree = await readActualTree(api)
  const root =
    tree.byKeyname.get(key) ?? [...tree.byId.values()].find(({ displayName }) => displayName === key)
  if (root === undefined) throw new Error(`no ${key}`)
  return loadWritten(pullTree({ tree, root, manifestId }).manifest)
}

/** Makes resources look as if people had made them by hand: no keys, no markers. */
async function forget(api: Api, top: string): Promise<void> {
  const tree = await readActualTree(api)
  for (const { id, manager } of tree.byId.values())
    if (manager === top)
      await api.call('resource.update', {
        params: { id },
        body: { resource: { keyname: null }, resmeta: { items: { 'landform.manager': null } } },
      })
}
