import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Api } from '../../../src/api/api.ts'
import type { Cls } from '../../../src/contract/registry.ts'
import { applyPlan } from '../../../src/reconcile/apply/apply_plan.ts'
import type { ApplyEvent } from '../../../src/reconcile/apply/outcome.ts'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { assertLaw, casesOn, patience } from '../../support/law_runs.ts'
import { describeServer } from '../../support/server.ts'
import type { Block } from '../support/literals.ts'
import { tell } from '../support/literals.ts'
import { applyAll, type Blocks, planAll, useSandboxes } from '../support/sandbox.ts'

/** Resources whose keys, names and places are permuted; styles stay below their layers. */
const classes = [
  'vector_layer',
  'vector_layer',
  'mapsrv_style',
  'mapsrv_style',
  'webmap',
  'resource_group',
] as const satisfies readonly Cls[]

const keys = ['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'n0', 'n1']
const names = ['A', 'B', 'C', 'D', 'E', 'F']

const arrangement = fc.record({
  // Most are keys that others have, too: swaps, chains and rotations.
  keys: fc.shuffledSubarray(keys, { minLength: classes.length, maxLength: classes.length }),
  names: fc.shuffledSubarray(names, { minLength: classes.length }),
  isMoved: fc.array(fc.boolean(), { minLength: classes.length, maxLength: classes.length }),
  /** Whether the names and places stay. */
  onlyKeys: fc.boolean(),
})

type Arrangement = typeof arrangement extends fc.Arbitrary<infer A> ? A : never

/** Blocks of an arrangement; with an earlier one, `was:` names the keys of it. */
function blocksOf(one: Arrangement, before?: Arrangement): Blocks {
  const { names: given, isMoved } = one.onlyKeys && before !== undefined ? before : one
  const keyOf = (at: number) => `T.${one.keys[at]}`
  const blocks = classes.map((cls, at): [string, Block] => {
    const was = before?.keys[at]
    const parent = cls === 'mapsrv_style' ? keyOf(at - 2) : isMoved[at] ? 'T.g' : 'T'
    const block: Block = {
      ...{ cls, parent, displayName: given[at] ?? '', members: membersOf(cls, keyOf(2)) },
      ...(was === undefined || was === one.keys[at] ? {} : { was: `T.${was}` }),
    }
    return [keyOf(at), block]
  })
  const sorted = blocks.sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries([['T.g', { parent: 'T' }], ...sorted])
}

function membersOf(cls: Cls, style: string): NonNullable<Block['members']> {
  if (cls === 'vector_layer') return { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' } }
  const xml = '<map><layer><class><style><color red="1" green="1" blue="2"/></style></class></layer></map>'
  if (cls === 'mapsrv_style') return { mapsrv_style: { xml } }
  if (cls !== 'webmap') return {}
  const item = { item_type: 'layer', display_name: 'L', layer_style_id: style }
  return { webmap: { root_item: { item_type: 'root', children: [item] } } }
}

/** Ids of the resources, in the order of their classes. */
const idsOf = ({ ids }: Plan, one: Arrangement, top: string) =>
  one.keys.map((key) => ids.get(`${top}.${key}`))

const errorsOf = ({ issues }: Plan) => issues.filter(({ severity }) => severity === 'error')

describeServer('renames of keys', (start, driver) => {
  const runs = { seed: 20_261_128, cases: casesOn[driver] }
  const sandbox = useSandboxes(start)

  it('permute keys, names and places, and are never made twice', patience, async () => {
    await assertLaw(
      fc.asyncProperty(arrangement, arrangement, arrangement, fc.boolean(), async (a, b, c, atomic) => {
        const { api, of, top } = await sandbox()
        await applyAll(api, of(blocksOf(a)), { atomic })
        const ids = idsOf(await planAll(api, of(blocksOf(a))), a, top)
        // Two permutations in a row: the second may swap back what the first has swapped.
        for (const [before, after] of [
          [a, b],
          [{ ...b, ...(b.onlyKeys ? { names: a.names, isMoved: a.isMoved } : {}) }, c],
        ] as const) {
          const wanted = of(blocksOf(after, before))
          const planned = await planAll(api, wanted)
          expect([errorsOf(planned), idsOf(planned, after, top)]).toEqual([[], ids])
          // What refers to renamed keys is recorded again.
          const others = planned.changes.filter(({ action }) => !['update', 'move', 'adopt'].includes(action))
          expect(others).toEqual([])
          for (let time = 0; time < 2; time += 1) {
            await applyAll(api, wanted, { atomic })
            const next = await planAll(api, wanted)
            expect([tell(next), idsOf(next, after, top)]).toEqual([[], ids])
          }
          const placed = after.onlyKeys ? { ...after, names: before.names, isMoved: before.isMoved } : after
          await expectForgotten(api, of(blocksOf(placed)))
        }
      }),
      { ...runs, steps: 2 },
    )
  })

  it('are completed after an interruption, request by request', patience, async () => {
    await assertLaw(
      fc.asyncProperty(arrangement, arrangement, fc.nat(6), fc.boolean(), async (a, b, stopAfter, breaks) => {
        const { api, of, top } = await sandbox()
        await applyAll(api, of(blocksOf(a)))
        const ids = idsOf(await planAll(api, of(blocksOf(a))), a, top)
        const wanted = of(blocksOf(b, a))
        const stop = new AbortController()
        let finished = 0
        const onEvent = ({ type }: ApplyEvent) => {
          if (type === 'started' || type === 'finished') finished += 1
          if (finished > stopAfter) stop.abort()
        }
        const { signal } = stop
        const breakOff = breaks ? { breakOff: signal } : {}
        const plan = await planAll(api, wanted)
        await applyPlan({ api, plan, atomic: false, signal, ...breakOff, onEvent, concurrency: 1 })
        await applyAll(api, wanted, { atomic: false })
        const next = await planAll(api, wanted)
        expect([tell(next), idsOf(next, b, top)]).toEqual([[], ids])
      }),
      runs,
    )
  })

  it('rename nothing where the resources are created with the new keys', patience, async () => {
    await assertLaw(
      fc.asyncProperty(arrangement, arrangement, fc.boolean(), async (a, b, atomic) => {
        const { api, of, top } = await sandbox()
        const wanted = of(blocksOf(b, a))
        await applyAll(api, wanted, { atomic })
        const ids = idsOf(await planAll(api, wanted), b, top)
        await applyAll(api, wanted, { atomic })
        const next = await planAll(api, wanted)
        expect([tell(next), idsOf(next, b, top)]).toEqual([[], ids])
      }),
      runs,
    )
  })
})

/** Expects that a manifest without `was:` removes the records of former keys, and nothing else. */
async function expectForgotten(api: Api, wanted: Parameters<typeof planAll>[1]): Promise<void> {
  const planned = await planAll(api, wanted)
  expect(planned.issues).toEqual([])
  for (const { action, records } of planned.changes)
    expect([action, records]).toEqual(['adopt', { gained: [], lost: [], key: 'removed' }])
  await applyAll(api, wanted)
  expect(tell(await planAll(api, wanted))).toEqual([])
}
