import { expect, test } from 'vitest'
import {
  drawOrder,
  isShownAt,
  type MapConfig,
  type MapLayer,
  resolutionLimits,
} from '../../src/style/map_layers.ts'
import { resolutionOf } from '../../src/style/match_rules.ts'

const layer = (id: number, more: Partial<MapLayer> = {}) =>
  ({
    type: 'layer',
    id,
    minScaleDenom: null,
    maxScaleDenom: null,
    drawOrderPosition: null,
    ...more,
  }) as MapLayer

const config = (children: MapConfig['rootItem']['children'], drawOrderEnabled = false) =>
  ({ rootItem: { type: 'root', id: 1, children }, drawOrderEnabled }) as MapConfig

const group = (...children: MapLayer[]) => ({ type: 'group', children }) as unknown as MapLayer

test('layers are drawn in the order of the tree, groups opened', () => {
  const order = drawOrder(config([layer(1, { drawOrderPosition: 9 }), group(layer(2), layer(3)), layer(4)]))
  expect(order.map(({ id }) => id)).toEqual([1, 2, 3, 4])
})

test('layers are drawn by draw_order_position if enabled, those without one below in tree order', () => {
  const order = drawOrder(
    config(
      [layer(1), layer(2, { drawOrderPosition: 5 }), group(layer(3), layer(4, { drawOrderPosition: 1 }))],
      true,
    ),
  )
  expect(order.map(({ id }) => id)).toEqual([4, 2, 1, 3])
})

test.each([
  [null, null, 100, true],
  [5000, null, 4999, true],
  [5000, null, 5000, false],
  [null, 1000, 1001, true],
  [null, 1000, 999, false],
])('a layer from 1 : %s to 1 : %s is visible at 1 : %s: %s', (minScaleDenom, maxScaleDenom, scale, shown) => {
  expect(isShownAt(layer(1, { minScaleDenom, maxScaleDenom }), resolutionOf(scale))).toBe(shown)
})

test('scale limits are those of pixels of 1/96 inch, as in styles', () => {
  const limits = resolutionLimits(layer(1, { minScaleDenom: 96_000, maxScaleDenom: 9600 }))
  expect(limits.maxResolution).toBeCloseTo(25.4)
  expect(limits.minResolution).toBeCloseTo(2.54)
})
