import { expect, test } from 'vitest'
import { svgKey } from '../../../src/render/draw/svg_marker.ts'
import { type CalloutTarget, type PlacedCallout, placeCallout } from '../../../src/render/label/callout.ts'
import { drawLabels } from '../../../src/render/label/draw_labels.ts'
import { createBox } from '../../../src/render/label/oriented_box.ts'
import { moveLabel, type PlacedLabel } from '../../../src/render/label/placed_label.ts'
import { createSurface } from '../../../src/render/raster/surface.ts'
import type { LabelCallout } from '../../../src/style/label_model.ts'
import type { MarkerLine, SvgMarker } from '../../../src/style/symbol_layer.ts'

const stroke = { color: '#ff0000', width: 4, dash: [], isDashRelative: false, dashOffset: 0 } as const

const callout: LabelCallout<number> = {
  ...{ kind: 'straight', from: 'edge', to: 'pole_of_inaccessibility' },
  ...{ minLength: 0, gapAtLabel: 0, gapAtFeature: 0 },
  line: {
    ...{ type: 'line', opacity: 1 },
    layers: [
      { kind: 'line', pass: 0, stroke: { ...stroke, join: 'bevel', cap: 'flat' }, offset: 0, rings: 'all' },
    ],
  },
}

const point = (x: number, y: number): CalloutTarget => ({ family: 'POINT', part: [Float64Array.of(x, y)] })
const line = (...positions: number[]): CalloutTarget => ({
  family: 'LINESTRING',
  part: [Float64Array.from(positions)],
})
/** Like the letter L, widest at its lower end. */
const corner: CalloutTarget = {
  family: 'POLYGON',
  part: [Float64Array.of(0, 0, 10, 0, 10, 60, 60, 60, 60, 100, 0, 100, 0, 0)],
}
/** 40 wide and 10 high, around (100, 50). */
const label = createBox([100, 50], [40, 10])

const lineOf = (change: Partial<LabelCallout<number>>, target: CalloutTarget, box = label) =>
  placeCallout({ ...callout, ...change }, box, target)?.line.map((value) => Math.round(value * 100) / 100)

test.each<[string, number[] | undefined, Partial<LabelCallout<number>>, CalloutTarget]>([
  ['begins at the nearest corner', [80, 45, 70, 30], {}, point(70, 30)],
  ['begins at the nearest side', [110, 55, 110, 90], {}, point(110, 90)],
  ['is not drawn within the label', undefined, {}, point(110, 52)],
  ['ends on the nearest segment of a line', [80, 45, 40, 45], {}, line(0, 0, 40, 10, 40, 90)],
  ['is not drawn where a line passes the label', undefined, {}, line(100, 0, 105, 100)],
  ['begins at a fixed corner', [120, 45, 70, 30], { from: 'tr' }, point(70, 30)],
  ['begins at the centre', [100, 50, 110, 52], { from: 'c' }, point(110, 52)],
  ['goes up and down first, then sideways', [80, 45, 80, 30, 70, 30], { kind: 'right_angle' }, point(70, 30)],
  ['is not drawn if it is too short', undefined, { minLength: 36 }, point(110, 90)],
  ['leaves gaps at both ends', [110, 60, 110, 80], { gapAtLabel: 5, gapAtFeature: 10 }, point(110, 90)],
  [
    'leaves gaps around its corner',
    [80, 40, 80, 32],
    { kind: 'right_angle', gapAtLabel: 5, gapAtFeature: 12 },
    point(70, 30),
  ],
  ['is not drawn if the gaps are all of it', undefined, { gapAtLabel: 20, gapAtFeature: 20 }, point(110, 90)],
  ['ends at the nearest side of a polygon', [80, 55, 60, 60], { to: 'point_on_exterior' }, corner],
])('a callout %s', (_, expected, change, target) => {
  expect(lineOf(change, target)).toEqual(expected)
})

test('a callout of a turned label begins at its side', () => {
  expect(lineOf({}, point(100, 90), createBox([100, 50], [40, 10], Math.PI / 2))).toEqual([100, 70, 100, 90])
})

test('a callout ends in the widest part of a polygon, and is not drawn where the label meets the polygon', () => {
  const [, , x = 0, y = 0] = lineOf({}, corner) ?? []
  expect([x > 15 && x < 45, y > 75 && y < 85]).toEqual([true, true])
  const centroid = lineOf({ to: 'centroid' }, corner)?.slice(2)
  expect(centroid).toEqual([25, 70])
  for (const at of [createBox([30, 80], [10, 5]), createBox([70, 80], [40, 10])])
    expect(lineOf({}, corner, at)).toBeUndefined()
})

test('an SVG marker on a callout is drawn', () => {
  const marker: SvgMarker<number> = {
    ...{ kind: 'svg', source: { svg: '<svg/>' }, size: 6, angle: 0, offset: [0, 0], pass: 0, aspectRatio: 1 },
    ...{ fill: '#ff0000', outline: '#00ff00', outlineWidth: 1, anchor: { x: 'center', y: 'center' } },
  }
  const layer: MarkerLine<number> = {
    ...{ kind: 'marker_line', pass: 0, placements: ['last_vertex'], interval: 10, offsetAlong: 0, offset: 0 },
    ...{ isRotated: false, averageLength: 0, rings: 'all' },
    marker: { type: 'marker', opacity: 1, layers: [marker] },
  }
  const symbol: PlacedCallout['symbol'] = { type: 'line', opacity: 1, layers: [layer] }
  const green = createSurface(12, 12)
  green.words.fill(0xff00ff00)
  const [surface, images] = [createSurface(40, 40), new Map([[svgKey(marker), green]])]
  const drawn: PlacedLabel = {
    ...{ runs: [], color: '#000000', box: [0, 0, 10, 10], anchor: [30, 30] },
    face: { family: 'x', size: 10, weight: 400, isItalic: false, letterSpacing: 0 },
    callout: { line: [10, 10, 30, 30], symbol, box: [0, 0, 40, 40] },
  }
  const pen = {
    measure: () => ({ width: 0, ascent: 0, descent: 0, inkAscent: 0, inkDescent: 0 }),
    draw: () => undefined,
    drawText: () => createSurface(1, 1),
  }
  drawLabels(surface, { labels: [drawn], pen, images, pixelRatio: 1, top: 0, check: () => undefined })
  expect([30, 20].map((at) => surface.words[at * 40 + at])).toEqual([0xff00ff00 | 0, 0])
})

test('the work of labels grows with their pixels', () => {
  const drawn: PlacedLabel = {
    ...{ runs: [], color: '#000000', box: [0, 0, 10, 10], anchor: [5, 5] },
    face: { family: 'x', size: 10, weight: 400, isItalic: false, letterSpacing: 0 },
  }
  const workOf = (width: number) => {
    const image = { surface: createSurface(width, 10), left: 0, top: 0 }
    const pen = {
      measure: () => ({ width: 0, ascent: 0, descent: 0, inkAscent: 0, inkDescent: 0 }),
      draw: () => image,
      drawText: () => createSurface(1, 1),
    }
    let sum = 0
    const check = (work = 0) => {
      sum += work
    }
    drawLabels(createSurface(20, 20), { labels: [drawn, drawn], pen, pixelRatio: 1, top: 0, check })
    return sum
  }
  expect([workOf(10), workOf(1000)]).toEqual([2 * 8 * 100, 2 * 8 * 10_000])
})

test('a callout is drawn below the labels of an image, also where the label itself lies elsewhere', () => {
  const placed = placeCallout(callout, label, point(10, 50)) as PlacedCallout
  const whole: PlacedLabel = {
    ...{ runs: [], color: '#000000', box: [80, 45, 120, 55], anchor: [10, 50] },
    face: { family: 'x', size: 10, weight: 400, isItalic: false, letterSpacing: 0 },
    callout: placed,
  }
  const drawAt = (dx: number, pixelRatio: number, top = 0) => {
    const surface = createSurface(40 * pixelRatio, 100 * pixelRatio - top)
    const pen = {
      measure: () => ({ width: 0, ascent: 0, descent: 0, inkAscent: 0, inkDescent: 0 }),
      draw: () => undefined,
      drawText: () => createSurface(1, 1),
    }
    drawLabels(surface, { labels: [moveLabel(whole, dx, 0)], pen, pixelRatio, top, check: () => undefined })
    const rows = Array.from({ length: surface.height }, (_, row) => row)
    return rows.filter((row) => surface.words[row * surface.width + 5 * pixelRatio] === (0xff0000ff | 0))
  }
  // The fifth column lies at 35 of the map, left of the label.
  expect(drawAt(-30, 1)).toEqual([48, 49, 50, 51])
  expect(drawAt(-30, 2)).toEqual([96, 97, 98, 99, 100, 101, 102, 103])
  expect(drawAt(-30, 2, 97)).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(drawAt(0, 1)).toEqual([])
})
