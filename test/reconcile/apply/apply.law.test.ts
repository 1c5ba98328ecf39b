import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { ApplyOptions } from '../../../src/reconcile/apply/apply_options.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { ApplyEvent } from '../../../src/reconcile/apply/outcome.ts'
import { readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { pullTree } from '../../../src/reconcile/pull/pull_tree.ts'
import { describeServers } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, tell } from '../support/literals.ts'
import { applyAll, type Blocks, planAll, useSandboxes } from '../support/sandbox.ts'
import { loadWritten } from '../support/written.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
/** The drivers have the same SQL: most cases run on the quicker one. */
const numRuns = { postgres: soak ? 1000 : 50, pglite: soak ? 50 : 3 }

/** Only who has time for many cases waits that long. */
const patience = soak ? { timeout: 7_200_000 } : {}

/** All or nothing, as our own server offers it, and one by one, as on others. */
const ways = [
  ['in one transaction', true],
  ['request by request', false],
] as const

/** One of the ways: laws that take long have their cases on both of them. */
const isAtomic = fc.boolean()

describeServers('an apply', (start, driver) => {
  // Shrinking asks a server again and again: only who has time for it waits for the smallest case.
  const runs = { seed: 20_240_601, numRuns: numRuns[driver], endOnFailure: !soak }
  const sandbox = useSandboxes(start)

  it.each(ways)('%s makes the next plan empty, whatever the tree was before', patience, async (_, atomic) => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), arbitraryTree('T'), async (before, after) => {
        const { api, of } = await sandbox()
        for (const blocks of [before, after]) {
          await applyAll(api, of(blocks), { atomic })
          expect(tell(await planAll(api, of(blocks)))).toEqual([])
        }
      }),
      runs,
    )
  })

  it('resumes after an interruption with the same result', patience, async () => {
    const stops = fc.record({ isAtomic, stopAfter: fc.nat(6) })
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), arbitraryTree('T'), stops, async (before, after, stop) => {
        const { api, of } = await sandbox()
        await applyAll(api, of(before), { atomic: stop.isAtomic })
        await interrupt({ api, plan: await planAll(api, of(after)), atomic: stop.isAtomic }, stop.stopAfter)
        await applyAll(api, of(after), { atomic: stop.isAtomic })
        expect(tell(await planAll(api, of(after)))).toEqual([])
      }),
      runs,
    )
  })

  it('results in the same tree when requests are interrupted', patience, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), fc.nat(4), isAtomic, async (blocks, stopAfter, atomic) => {
        const { api, of } = await sandbox()
        await interrupt({ api, plan: await planAll(api, of(blocks)), atomic }, stopAfter, 'break off')
        await applyAll(api, of(blocks), { atomic })
        expect(tell(await planAll(api, of(blocks)))).toEqual([])
      }),
      runs,
    )
  })

  it('permutes the names, keys and positions of siblings', patience, async () => {
    await fc.assert(
      fc.asyncProperty(places, places, isAtomic, async (before, after, atomic) => {
        const { api, of } = await sandbox()
        await applyAll(api, of(placedBlocks(before)), { atomic })
        const { ids } = await planAll(api, of(placedBlocks(before)))
        const wanted = of(placedBlocks(after, before))
        const planned = await planAll(api, wanted)
        expect(planned.changes.every(({ action }) => action === 'move' || action === 'update')).toBe(true)
        await applyAll(api, wanted, { atomic })
        const next = await planAll(api, wanted)
        expect([tell(next), [...next.ids.values()].sort()]).toEqual([[], [...ids.values()].sort()])
      }),
      runs,
    )
  })

  it('changes only the ownership marks of a pulled tree', patience, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryTree('T'), async (blocks) => {
        const { api, of, top } = await sandbox()
        await applyAll(api, of(blocks))
        expect(tell(await planAll(api, await pull(api, top, top)))).toEqual([])
        await forget(api, top)
        const pulled = await pull(api, top, `${top}-again`)
        const planned = await planAll(api, pulled)
        for (const { adopts, edits } of planned.changes) {
          expect(adopts).toBe(true)
          expect(edits.map(({ pointer }) => pointer).filter((pointer) => pointer !== '/keyname')).toEqual([])
        }
        await applyAll(api, pulled)
        expect(tell(await planAll(api, pulled))).toEqual([])
      }),
      runs,
    )
  })
})

const names = ['A', 'B', 'C', 'D', 'E']

/** Names, places and keys of siblings. */
const places = fc.record({
  names: fc.shuffledSubarray(names, { minLength: names.length }),
  // Names make cycles where most stay in one place.
  groups: fc.array(fc.constantFrom('', '', '', '', 'g', 'h'), {
    minLength: names.length,
    maxLength: names.length,
  }),
  keys: fc.array(fc.constantFrom('r', 'r', 's'), { minLength: names.length, maxLength: names.length }),
})

type Placed = typeof places extends fc.Arbitrary<infer P> ? P : never

/** Blocks of siblings, in the order of their names; those that had other keys before say so. */
function placedBlocks({ names: given, groups, keys }: Placed, before?: Placed): Blocks {
  const below = names.map((_, at): [string, Block] => {
    const parent = groups[at] ? `T.${groups[at]}` : 'T'
    const was = before?.keys[at] ?? keys[at]
    const renamed = was === keys[at] ? {} : { was: `T.${was}${at}` }
    return [`T.${keys[at]}${at}`, { parent, displayName: given[at] ?? '', ...renamed }]
  })
  const sorted = below.sort(([, one], [, other]) => (`${one.displayName}` < `${other.displayName}` ? -1 : 1))
  return { 'T.g': { parent: 'T' }, 'T.h': { parent: 'T' }, ...Object.fromEntries(sorted) }
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
