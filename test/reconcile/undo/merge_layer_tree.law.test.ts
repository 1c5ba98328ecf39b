import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mergeLayerTree } from '../../../src/reconcile/undo/merge_layer_tree.ts'

interface Item {
  readonly item_type: string
  readonly display_name: string
  readonly layer_style_id?: number
  readonly layer_enabled?: boolean
  readonly children?: readonly Item[]
}

const layer = (style: number, name = `L${style}`, more: object = {}): Item => ({
  ...{ item_type: 'layer', display_name: name, layer_style_id: style },
  ...more,
})
const group = (name: string, ...children: readonly Item[]): Item => ({
  ...{ item_type: 'group', display_name: name },
  children,
})

it.each<[string, Item[], Item[], Item[], Item[], string[]]>([
  ['a renamed layer', [layer(1)], [layer(1, 'New')], [layer(1, 'New'), layer(2)], [layer(1), layer(2)], []],
  [
    'an added layer',
    [layer(1)],
    [layer(1), layer(2)],
    [layer(3), layer(1), layer(2)],
    [layer(3), layer(1)],
    [],
  ],
  [
    'a removed layer',
    [layer(1), layer(2)],
    [layer(1)],
    [layer(1), layer(3)],
    [layer(1), layer(2), layer(3)],
    [],
  ],
  [
    'a moved layer',
    [group('A', layer(1)), group('B')],
    [group('A'), group('B', layer(1))],
    [group('A', layer(2)), group('B', layer(1), layer(3))],
    [group('A', layer(1), layer(2)), group('B', layer(3))],
    [],
  ],
  [
    'an order',
    [layer(1), layer(2)],
    [layer(2), layer(1)],
    [layer(2), layer(3), layer(1)],
    [layer(1), layer(2), layer(3)],
    [],
  ],
  ['a later order', [layer(1)], [layer(1, 'New')], [layer(2), layer(1, 'New')], [layer(2), layer(1)], []],
  [
    'a group with a layer of others',
    [],
    [group('A', layer(1))],
    [group('A', layer(1), layer(2))],
    [group('A', layer(2))],
    [],
  ],
  [
    'a name that was changed since',
    [layer(1)],
    [layer(1, 'New')],
    [layer(1, 'Other')],
    [layer(1)],
    ['Other'],
  ],
  [
    'another member that was changed since',
    [layer(1)],
    [layer(1, 'New')],
    [layer(1, 'New', { layer_enabled: true })],
    [layer(1, 'L1', { layer_enabled: true })],
    [],
  ],
  ['an added layer that was changed since', [], [layer(1)], [layer(1, 'New')], [], ['New']],
  [
    'a removed layer that is there again',
    [layer(1), layer(2)],
    [layer(1)],
    [layer(2, 'New'), layer(1)],
    [layer(2, 'New'), layer(1)],
    [],
  ],
  ['a changed layer that was removed since', [layer(1)], [layer(1, 'New')], [], [], ['New']],
])('takes back %s', (_, before, after, now, items, conflicts) => {
  expect(mergeLayerTree({ before, after, now })).toEqual({ items, conflicts })
})

const trees = fc.letrec<{ item: Item; items: Item[] }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      item_type: fc.constant('layer'),
      display_name: fc.constantFrom('a', 'b', 'c'),
      layer_style_id: fc.nat(6),
      layer_enabled: fc.boolean(),
    }),
    fc.record({
      item_type: fc.constant('group'),
      display_name: fc.constantFrom('x', 'y', 'z'),
      children: tie('items'),
    }),
  ) as fc.Arbitrary<Item>,
  items: fc.array(tie('item') as fc.Arbitrary<Item>, { maxLength: 4 }),
})).items

const runs = { seed: 20_260_301, numRuns: process.env.LANDFORM_SOAK === undefined ? 300 : 20_000 }

it('is the tree before if nothing changed since or it is back, and the tree now if the apply changed nothing', () => {
  fc.assert(
    fc.property(trees, trees, (one, two) => {
      expect(mergeLayerTree({ before: one, after: two, now: two })).toEqual({ items: one, conflicts: [] })
      expect(mergeLayerTree({ before: one, after: two, now: one })).toEqual({ items: one, conflicts: [] })
      expect(mergeLayerTree({ before: one, after: one, now: two }).items).toEqual(two)
    }),
    runs,
  )
})

it('keeps the layers that others added', () => {
  const styles = (items: readonly Item[]): number[] =>
    items.flatMap(({ layer_style_id: style, children = [] }) => [
      ...(style === undefined ? [] : [style]),
      ...styles(children),
    ])
  fc.assert(
    fc.property(trees, trees, trees, (before, after, now) => {
      const known = new Set([...styles(before), ...styles(after)])
      const added = (items: readonly Item[]) =>
        styles(items)
          .filter((style) => !known.has(style))
          .sort()
      const merged = mergeLayerTree({ before, after, now }).items as unknown as readonly Item[]
      expect(added(merged)).toEqual(added(now))
    }),
    runs,
  )
})
