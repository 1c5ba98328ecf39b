import { describe, expect, test } from 'vitest'
import type { LabelFrame } from '../../../src/render/label/label_frame.ts'
import { boundsOf, boxesOverlap, createBox } from '../../../src/render/label/oriented_box.ts'
import { labelLimits, placeLabels } from '../../../src/render/label/place_labels.ts'
import type { PlacedLabel } from '../../../src/render/label/placed_label.ts'
import { parseExpression } from '../../../src/style/expression/expression_parse.ts'
import type { LabelCallout, LabelPlacement } from '../../../src/style/label_model.ts'
import { labelsWith, sceneOf } from '../../support/labels.ts'

const square = (left: number, top: number, side: number) => ring(left, top, left + side, top + side)
const ring = (left: number, top: number, right: number, bottom: number) =>
  Float64Array.of(left, top, right, top, right, bottom, left, bottom, left, top)

const point = (x: number, y: number) => ({ family: 'POINT', parts: [[Float64Array.of(x, y)]] }) as const
const line = (...positions: number[]) =>
  ({ family: 'LINESTRING', parts: [[Float64Array.from(positions)]] }) as const
const polygon = (...rings: Float64Array[]) => ({ family: 'POLYGON', parts: [rings] }) as const

const texts = (labels: readonly PlacedLabel[]) =>
  labels.map(({ runs }) => runs.map(({ text }) => text).join('')).sort()
const middle = ({ box }: PlacedLabel) => [(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]

/** Places labels of geometries named a, b, c and so on; a letter is a square of 10 pixels. */
const place = (
  geometries: Parameters<typeof sceneOf>[0],
  placement: LabelPlacement,
  more: Parameters<typeof labelsWith>[1] = {},
  frame?: LabelFrame,
) => placeLabels(sceneOf(geometries, [labelsWith(placement, more)], frame))

const over: LabelPlacement = { kind: 'over', quadrant: [0, 0] }
const along = { kind: 'line', isCurved: false, sides: ['on'], distance: 0 } as const

describe('labels at points', () => {
  test('lie in the quadrant and at the offset of the style', () => {
    const [label] = place([point(100, 100)], { kind: 'over', quadrant: [1, -1] }, { offset: [3, 0] })
    expect(label?.box).toEqual([103, 90, 113, 100])
  })

  test('with whole pixels have letters, lines and baselines where QGIS has them', () => {
    const font = { ...labelsWith(over).font, size: 10.6 }
    const more = { text: 'a|b', wrapCharacter: '|', font, hasWholePixels: true } as const
    const [label] = place([point(100, 100)], { kind: 'over', quadrant: [0, 1] }, more)
    // Letters of 11 pixels extend 8.8 above the baseline and 2.2 below it: 9 and 3.
    expect(label?.face.size).toBe(11)
    expect(label?.runs.map(({ y }) => y)).toEqual([100 + 12 - 9 / 4, 100 + 24 - 9 / 4])
    expect(label?.box.slice(1)).toEqual([100, 105.5, 124])
  })

  test('align lines that follow the point on its side, and centre others', () => {
    const lines = { text: 'a|bbb', wrapCharacter: '|', alignment: 'follow' } as const
    const startsOf = (found: readonly PlacedLabel[]) => found.flatMap(({ runs }) => runs.map(({ x }) => x))
    const startsAt = (x: -1 | 0 | 1) =>
      startsOf(place([point(100, 100)], { kind: 'over', quadrant: [x, -1] }, lines))
    expect(startsAt(1)).toEqual([100, 100])
    expect(startsAt(0)).toEqual([95, 85])
    expect(startsAt(-1)).toEqual([90, 70])
    const around = startsOf(place([point(100, 100)], { kind: 'around', distance: 0 }, lines))
    expect(around[0]).toBe(around[1])
    const inside = startsOf(place([polygon(square(0, 0, 200))], { kind: 'horizontal' }, lines))
    expect(inside).toEqual([95, 85])
  })

  test('move around the point where the preferred place is taken', () => {
    const both = place([point(100, 100), point(108, 100)], { kind: 'around', distance: 2 })
    expect(texts(both)).toEqual(['a', 'b'])
  })

  test('around points lie beside their markers, and on others only where nothing else is free', () => {
    const labelsBeside = (radius: number, more: readonly ReturnType<typeof point>[] = []) => {
      const scene = sceneOf([point(100, 100), ...more], [labelsWith({ kind: 'around', distance: 2 })])
      const layers = scene.layers.map((layer) => ({ ...layer, radiusOf: () => radius }))
      return placeLabels({ ...scene, layers })
    }
    const farFrom = (label: PlacedLabel | undefined, x: number, y: number) => {
      const [minX, minY, maxX, maxY] = label?.box ?? [x, y, x, y]
      return Math.hypot(Math.max(minX - x, 0, x - maxX), Math.max(minY - y, 0, y - maxY))
    }
    expect(farFrom(labelsBeside(0)[0], 100, 100)).toBeLessThan(2.1)
    for (const radius of [4, 20, 60]) expect(farFrom(labelsBeside(radius)[0], 100, 100)).toBeCloseTo(radius)
    const [, first] = labelsBeside(12, [point(118, 88)])
    expect(farFrom(first, 118, 88)).toBeGreaterThan(8)
    const crowd = [-1, 0, 1].flatMap((x) => [-1, 0, 1].map((y) => point(100 + 14 * x, 100 + 14 * y)))
    expect(labelsBeside(12, crowd).length).toBeGreaterThan(4)
  })

  test('are left out where nothing is free, those of lower priority first', () => {
    const geometries = [point(100, 100), point(110, 100), point(105, 100)]
    const priority = { op: 'field', name: 'rank' } as const
    expect(texts(place(geometries, over, { dataDefined: { priority } }))).toEqual(['c'])
    expect(texts(place(geometries, over))).toEqual(['a', 'b'])
    expect(texts(place(geometries, over, { showsAll: true }))).toEqual(['a', 'b', 'c'])
  })

  test('never leave the image', () => {
    expect(place([point(3, 50)], over)).toEqual([])
    expect(place([point(5, 50)], over)).toHaveLength(1)
  })

  test('rotate about the point, and block what lies under them', () => {
    const [label] = place([point(100, 100)], { kind: 'over', quadrant: [1, 0] }, { angle: 90, text: 'long' })
    const [x, y] = label === undefined ? [] : middle(label)
    expect(x).toBeCloseTo(100)
    expect(y).toBeCloseTo(120)
    expect(label?.runs[0]?.angle).toBeCloseTo(Math.PI / 2)
  })
})

test.each([
  [0, 'square', square(100, 100, 100)],
  [1, 'square', square(100, 100, 100)],
  // Above and below the marker is no room.
  [1, 'band', ring(50, 140, 250, 160)],
] as const)('labels of polygons avoid the markers of a layer at position %d: %s', (at, _, outline) => {
  const land = sceneOf([polygon(outline)], [labelsWith({ kind: 'horizontal' })])
  const towns = sceneOf([point(150, 150)], [labelsWith({ kind: 'around', distance: 2 })])
  const marked = towns.layers.map((layer) => ({ ...layer, radiusOf: () => 12 }))
  const layers = at === 0 ? [...marked, ...land.layers] : [...land.layers, ...marked]
  const placed = placeLabels({ ...land, layers })
  expect(placed).toHaveLength(2)
  const side = 12 * Math.SQRT2
  const marker = createBox([150, 150], [side, side])
  for (const { box } of placed) {
    const [minX, minY, maxX, maxY] = box
    const [x, y] = [(minX + maxX) / 2, (minY + maxY) / 2]
    expect(boxesOverlap(createBox([x, y], [maxX - minX, maxY - minY]), marker)).toBe(false)
  }
})

describe('labels of lines', () => {
  test('follow the line with their letters, and are readable in both directions', () => {
    for (const positions of [
      [50, 100, 350, 100],
      [350, 100, 50, 100],
    ]) {
      const [label] = place([line(...positions)], { ...along, isCurved: true }, { text: 'river' })
      expect(label?.runs.map(({ text }) => text).join('')).toBe('river')
      expect(label?.runs.every(({ angle }) => Math.abs(angle) < 1e-9)).toBe(true)
      expect(label?.runs.map(({ x }) => Math.round(x))).toEqual([175, 185, 195, 205, 215])
    }
  })

  test('that follow the line have callouts from their first letters', () => {
    const callout: LabelCallout = {
      ...{ kind: 'straight', from: 'edge', to: 'centroid', line: { type: 'line', opacity: 1, layers: [] } },
      ...{ minLength: 0, gapAtLabel: 0, gapAtFeature: 0 },
    }
    const above = { ...along, isCurved: true, sides: ['above'], distance: 20 } as const
    const [label] = place([line(50, 100, 350, 100)], above, { text: 'river', callout })
    expect(label?.runs[0]?.x).toBe(175)
    const [fromX = 0, fromY, toX, toY] = label?.callout?.line ?? []
    expect(fromX >= 175 && fromX <= 185).toBe(true)
    expect([fromY, toX, toY]).toEqual([80, fromX, 100])
  })

  test('are left out where the line is too short or bends too much', () => {
    expect(place([line(0, 50, 30, 50)], along, { text: 'river' })).toEqual([])
    const zigzag = Array.from({ length: 30 }, (_, at) => [20 + 5 * at, at % 2 === 0 ? 50 : 70]).flat()
    expect(place([line(...zigzag)], { ...along, isCurved: true }, { text: 'river' })).toEqual([])
  })

  test.each([24, 30, 40, 60, 100])('have letters that do not overlap in a bend of %d pixels', (radius) => {
    const bend = Array.from({ length: 41 }, (_, at) => {
      const angle = Math.PI * (1 - at / 40)
      return [200 + radius * Math.cos(angle), 150 + radius * Math.sin(angle)]
    })
    const valley = line(170 - radius, 90, ...bend.flat(), 230 + radius, 90)
    for (const side of ['above', 'on', 'below'] as const) {
      const placement = { ...along, isCurved: true, sides: [side] } as const
      const labels = place([valley], placement, { text: 'long river' })
      if (radius === 100) expect(labels, side).toHaveLength(1)
      // A letter has ten pixels, of which adjacent ones may share a quarter.
      const letters = labels.flatMap(({ runs }) =>
        runs.map(({ x, y, angle }) => {
          const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
          return createBox([x + 5 * cos + 3 * sin, y + 5 * sin - 3 * cos], [7.5, 10], angle)
        }),
      )
      const overlaps = letters.filter((one, at) =>
        letters.slice(at + 1).some((other) => boxesOverlap(one, other)),
      )
      expect(overlaps, side).toEqual([])
    }
  })

  test('lie above or below the line, and are repeated', () => {
    const [above] = place([line(50, 100, 350, 100)], { ...along, sides: ['above'], distance: 2 })
    expect(above?.box).toEqual([195, 88, 205, 98])
    const [below] = place([line(50, 100, 350, 100)], { ...along, sides: ['below'], distance: 2 })
    expect(below?.box).toEqual([195, 102, 205, 112])
    const repeated = place([line(0, 100, 400, 100)], along, { repeatDistance: 100 })
    expect(repeated.map((label) => middle(label)[0]).sort()).toEqual([150, 250, 350, 50])
  })

  test('are merged where lines with the same text meet, also across the seams of frames', () => {
    const pieces = [line(50, 100, 110, 100), line(200, 100, 110, 100), line(200, 100, 230, 100)]
    const texted = { text: 'long road' }
    expect(place(pieces, along, texted).map((label) => middle(label)[0])).toEqual([155])
    const merged = place(pieces, along, { ...texted, mergesLines: true })
    expect(merged.map((label) => middle(label)[0])).toEqual([140])
    expect(place(pieces, along, { mergesLines: true })).toHaveLength(3)
    const half = (left: number): LabelFrame => ({
      ...{ box: [left, 0, left + 512, 512], bounds: [0, 0, 1024, 512] },
      seams: { left: left > 0, top: false, right: left === 0, bottom: false },
    })
    const road = [line(300, 100, 500, 100), line(500, 100, 700, 100)]
    const seen = [0, 512].flatMap((left) => place(road, along, { ...texted, mergesLines: true }, half(left)))
    expect(seen.map(({ box: [minX, , maxX] }) => [minX, maxX])).toEqual([
      [361, 451],
      [561, 651],
    ])
  })

  test('with joined letters stay straight', () => {
    const [label] = place([line(50, 100, 350, 100)], { ...along, isCurved: true }, { text: 'نهر النيل' })
    expect(label?.runs.map(({ text }) => text)).toEqual(['نهر النيل'])
  })
})

describe('labels of polygons', () => {
  test('lie inside where they fit, with holes left out', () => {
    const withHole = polygon(square(50, 50, 200), square(80, 80, 140))
    const [label] = place([withHole], { kind: 'horizontal' }, { text: 'wide' })
    expect(label).toBeDefined()
    const [minX, minY, maxX, maxY] = label?.box ?? [0, 0, 0, 0]
    const isOutsideHole = maxY <= 80 || minY >= 220 || maxX <= 80 || minX >= 220
    expect(isOutsideHole && minX >= 50 && maxX <= 250 && minY >= 50 && maxY <= 250).toBe(true)
  })

  test('leave out holes that are lower than they are', () => {
    const [label] = place([polygon(ring(50, 100, 250, 112), ring(148, 108, 152, 109))], {
      kind: 'horizontal',
    })
    const [minX, , maxX] = label?.box ?? [150, 0, 150, 0]
    expect(maxX <= 148 || minX >= 152).toBe(true)
  })

  test('lie in the visible part, and only in the largest one', () => {
    const [cut] = place([polygon(ring(-1000, 100, 100, 200))], { kind: 'horizontal' })
    expect(cut && middle(cut)[0]).toBeCloseTo(50)
    const parts = { family: 'POLYGON', parts: [[square(20, 20, 50)], [square(200, 200, 100)]] } as const
    expect(place([parts], { kind: 'horizontal' }).map((label) => Math.round(middle(label)[0] ?? 0))).toEqual([
      250,
    ])
    expect(place([parts], { kind: 'horizontal' }, { isOnAllParts: true })).toHaveLength(2)
  })

  test('are repeated over adjacent metatiles at a distance that narrow maps can hold', () => {
    const side = 1024
    const countOf = (geometry: Parameters<typeof sceneOf>[0][number]) => {
      const labels = [0, 1, 2].flatMap((column) => {
        const box = [column * side, 0, (column + 1) * side, side] as const
        const seams = { left: column > 0, top: false, right: column < 2, bottom: false }
        return place([geometry], { kind: 'horizontal' }, {}, { box, bounds: [0, 0, 3 * side, side], seams })
      })
      return new Set(labels.map(({ box }) => box.join())).size
    }
    expect(countOf(polygon(ring(700, 100, 1400, 400)))).toBe(1)
    expect(countOf(polygon(ring(774, 100, 1274, 700)))).toBe(1)
    expect(countOf(polygon(ring(0, 100, 3072, 900)))).toBe(3)
    const islands = [0, 1, 2, 3].map((at) => [square(100 + 300 * at, 300, 40 + at)])
    expect(countOf({ family: 'POLYGON', parts: islands })).toBe(1)
  })

  test('prefer larger polygons among equal priorities', () => {
    const [small, large] = [polygon(square(95, 95, 10)), polygon(square(50, 50, 100))]
    expect(texts(place([small, large], over))).toEqual(['b'])
  })
})

test('oriented boxes overlap exactly where their areas do', () => {
  const box = createBox([0, 0], [20, 10])
  expect(boxesOverlap(box, createBox([20, 0], [20, 10]))).toBe(false)
  expect(boxesOverlap(box, createBox([19, 0], [20, 10]))).toBe(true)
  expect(boxesOverlap(box, createBox([14, 9], [10, 10], Math.PI / 4))).toBe(false)
  expect(boxesOverlap(box, createBox([12, 7], [10, 10], Math.PI / 4))).toBe(true)
  expect(boundsOf([createBox([0, 0], [20, 10], Math.PI / 2)]).map(Math.round)).toEqual([-5, -10, 5, 10])
})

test('of many points, those of the highest priority have labels, wherever they are in the layer', () => {
  const count = 2.5 * labelLimits.tried
  const points = Array.from({ length: count }, (_, at) => point(at % 400, 10 + ((at * 7) % 380)))
  const labels = labelsWith(
    { kind: 'around', distance: 1 },
    { dataDefined: { priority: parseExpression(`CASE WHEN "rank" = ${count - 1} THEN 9 ELSE 5 END`) } },
  )
  const placed = placeLabels(sceneOf(points, [labels]))
  expect(placed.map(({ anchor }) => anchor)).toContainEqual([
    (count - 1) % 400,
    10 + (((count - 1) * 7) % 380),
  ])
  // The others are the first ones of the layer.
  const few = placeLabels(sceneOf(points.slice(0, labelLimits.tried), [labels]))
  expect(placed.length).toBeGreaterThan(100)
  expect(Math.abs(placed.length - few.length)).toBeLessThan(5)
})
