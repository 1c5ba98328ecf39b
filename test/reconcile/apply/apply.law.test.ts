import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import type { Manifest } from '../../../src/manifest/manifest.ts'
import type { ApplyOptions } from '../../../src/reconcile/apply/apply_options.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { ApplyEvent } from '../../../src/reconcile/apply/outcome.ts'
import { readActualTree } from '../../../src/reconcile/plan/plan_manifest.ts'
import { pullTree } from '../../../src/reconcile/pull/pull_tree.ts'
import { assertLaw, casesOn, patience, stepsOf } from '../../support/law_runs.ts'
import { describeServers } from '../../support/server.ts'
import { arbitraryTree } from '../support/arbitrary.ts'
import { type Block, tell } from '../support/literals.ts'
import { applyAll, type Blocks, planAll, useSandboxes } from '../support/sandbox.ts'
import { loadWritten } from '../support/written.ts'

/** Trees of a run, each applied to the one before. */
const steps = 5

/** All or nothing, as our own server offers it, and one by one, as on others. */
const ways = [
  ['in one transaction', true],
  ['request by request', false],
] as const

/** One of the ways: laws that take long have their cases on both of them. */
const isAtomic = fc.boolean()

describeServers('an apply', (start, driver) => {
  const runs = { seed: 20_240_601, cases: casesOn[driver] }
  const chain = { ...runs, steps }
  const sandbox = useSandboxes(start)

  it.each(ways)('%s makes the next plan empty, whatever the tree was before', patience, async (_, atomic) => {
    await assertLaw(
      fc.asyncProperty(stepsOf(arbitraryTree('T'), steps), async (trees) => {
        const { api, of } = await sandbox()
        for (const blocks of trees) {
          await applyAll(api, of(blocks), { atomic })
          expect(tell(await planAll(api, of(blocks)))).toEqual([])
        }
      }),
      chain,
    )
  })

  it('resumes after an interruption with the same result', patience, async () => {
    const step = fc.record({ blocks: arbitraryTree('T'), atomic: isAtomic, stopAfter: fc.nat(6) })
    await assertLaw(
      fc.asyncProperty(stepsOf(step, steps), async (all) => {
        const { api, of } = await sandbox()
        for (const { blocks, atomic, stopAfter } of all) {
          await interrupt({ api, plan: await planAll(api, of(blocks)), atomic }, stopAfter)
          await applyAll(api, of(blocks), { atomic })
          expect(tell(await planAll(api, of(blocks)))).toEqual([])
        }
      }),
      chain,
    )
  })

  it('results in the same tree when requests are interrupted', patience, async () => {
    const step = fc.record({ blocks: arbitraryTree('T'), atomic: isAtomic, stopAfter: fc.nat(4) })
    await assertLaw(
      fc.asyncProperty(stepsOf(step, steps), async (all) => {
        const { api, of } = await sandbox()
        for (const { blocks, atomic, stopAfter } of all) {
          await interrupt({ api, plan: await planAll(api, of(blocks)), atomic }, stopAfter, 'break off')
          await applyAll(api, of(blocks), { atomic })
          expect(tell(await planAll(api, of(blocks)))).toEqual([])
        }
      }),
      chain,
    )
  })

  it('permutes the names, keys and positions of siblings', patience, async () => {
    const step = fc.record({ after: places, atomic: isAtomic })
    await assertLaw(
      fc.asyncProperty(places, stepsOf(step, steps), async (first, all) => {
        const { api, of } = await sandbox()
        let before = first
        await applyAll(api, of(placedBlocks(before)))
        const { ids } = await planAll(api, of(placedBlocks(before)))
        for (const { after, atomic } of all) {
          const wanted = of(placedBlocks(after, before))
          const planned = await planAll(api, wanted)
          expect(planned.changes.every(({ action }) => action === 'move' || action === 'update')).toBe(true)
          await applyAll(api, wanted, { atomic })
          const next = await planAll(api, wanted)
          expect([tell(next), [...next.ids.values()].sort()]).toEqual([[], [...ids.values()].sort()])
          before = after
        }
      }),
      chain,
    )
  })

  it('changes only the ownership marks of a pulled tree', patience, async () => {
    await assertLaw(
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
  const body = { resource: { keyname: null }, resmeta: { items: { 'landform.manager': null } } }
  const own = [...tree.byId.values()].filter(({ manager }) => manager === top)
  const operations = own.map(({ id }) => ({ op: 'update' as const, id, body }))
  await api.call('resource.batch', { body: { operations } })
}
