import fc from 'fast-check'
import { expect, it } from 'vitest'
import { listTreeEdits } from '../../../src/reconcile/plan/layer_tree/layer_tree_edits.ts'
import type { ItemFields } from '../../../src/reconcile/plan/layer_tree/layer_tree_match.ts'

const soak = process.env.LANDFORM_SOAK !== undefined
const runs = { seed: 20_260_103, numRuns: soak ? 20_000 : 500 }

type Item = Readonly<Record<string, unknown>> & { readonly children?: readonly Item[] }

const name = fc.constantFrom('A', 'B', 'children', '', 'a/b', '~')
const layer = fc.record({
  item_type: fc.constant('layer'),
  display_name: name,
  layer_style_id: fc.constantFrom('roads', 'rivers', 'children'),
  layer_enabled: fc.boolean(),
})
const { items } = fc.letrec<{ items: readonly Item[] }>((tie) => ({
  items: fc.array(
    fc.oneof(
      { maxDepth: 3 },
      layer,
      fc.record({ item_type: fc.constant('group'), display_name: name, children: tie('items') }),
    ),
    { maxLength: 4 },
  ) as fc.Arbitrary<readonly Item[]>,
}))

const editsOf = (from: readonly Item[], to: readonly Item[]) =>
  listTreeEdits({
    pointer: '/items',
    from,
    to,
    identify: ({ item_type, layer_style_id, display_name }) =>
      String(item_type === 'layer' ? layer_style_id : display_name),
    compareItem: ({ pointer, from: old, to: next }) =>
      Object.keys({ ...old, ...next })
        .filter((field) => old[field] !== next[field])
        .map((field) => ({ pointer: `${pointer}/${field}`, from: old[field], to: next[field] })),
  })

const count = (list: readonly Item[]): number =>
  list.reduce((sum, { children = [] }) => sum + 1 + count(children), 0)

const countOf = (value: unknown) => count([value as Item & ItemFields])

it('lists no edits of equal layer trees, and some of others', () => {
  fc.assert(
    fc.property(items, items, (from, to) => {
      expect(editsOf(from, structuredClone(from))).toEqual([])
      const isEqual = JSON.stringify(from) === JSON.stringify(to)
      expect(editsOf(from, to).length > 0).toBe(!isEqual)
    }),
    runs,
  )
})

it('lists added and removed items that make up the difference of the trees, and no edit of two equal values', () => {
  fc.assert(
    fc.property(items, items, (from, to) => {
      const edits = editsOf(from, to)
      const whole = edits.filter((edit) => edit.from === undefined || edit.to === undefined)
      const added = whole.reduce((sum, edit) => sum + (edit.to === undefined ? 0 : countOf(edit.to)), 0)
      const removed = whole.reduce((sum, edit) => sum + (edit.from === undefined ? 0 : countOf(edit.from)), 0)
      expect(added - removed).toBe(count(to) - count(from))
      for (const edit of edits) expect(edit.from).not.toEqual(edit.to)
    }),
    runs,
  )
})
