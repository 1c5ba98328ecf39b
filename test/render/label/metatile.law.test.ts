import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Bbox } from '../../../src/geo/bbox.ts'
import type { PixelGeometry } from '../../../src/render/draw/pixel_geometry.ts'
import { CollisionIndex } from '../../../src/render/label/collision_index.ts'
import { frameMargin, frameSide, type LabelFrame } from '../../../src/render/label/label_frame.ts'
import { listSites } from '../../../src/render/label/label_sites.ts'
import { compileLabels } from '../../../src/render/label/label_spec.ts'
import { boundsOf, boxesOverlap, createBox } from '../../../src/render/label/oriented_box.ts'
import { type PixelPart, partBounds } from '../../../src/render/label/part_measure.ts'
import { type LabelScene, placeLabels } from '../../../src/render/label/place_labels.ts'
import { moveLabel, type PlacedLabel } from '../../../src/render/label/placed_label.ts'
import type { Candidate } from '../../../src/render/label/text_block.ts'
import { clipMargin } from '../../../src/server/render/metatile.ts'
import type { Style } from '../../../src/style/style_model.ts'
import { labelsWith, sceneOf } from '../../support/labels.ts'

const run = { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 2000 : 25 }
const side = frameSide
const count = 3
const world = count * side

const noSeams = { left: false, top: false, right: false, bottom: false }

/** The frames of a world of 3 × 3 metatiles. */
const frames = Array.from({ length: count ** 2 }, (_, at): LabelFrame => {
  const [x, y] = [(at % count) * side, Math.floor(at / count) * side]
  return {
    box: [x, y, x + side, y + side],
    bounds: [0, 0, world, world],
    seams: { left: x > 0, top: y > 0, right: x + side < world, bottom: y + side < world },
  }
})

/** The frames of a world that continues east and west with its other end. */
const ring = frames.map(({ box, seams = noSeams }): LabelFrame => {
  const bounds = [box[0] - frameMargin, 0, box[2] + frameMargin, world] as const
  return { box, bounds, seams: { ...seams, left: true, right: true } }
})

function moveGeometry({ family, parts }: PixelGeometry, by: number): PixelGeometry {
  const move = (value: number, at: number) => value + (at % 2 === 0 ? by : 0)
  return { family, parts: parts.map((part) => part.map((list) => list.map(move))) }
}

/** Adds what lies of features in the copies of the world beside it; that of points as features of their own. */
function inCopies(scene: LabelScene): LabelScene {
  const layers = scene.layers.map((layer) => ({
    ...layer,
    features: layer.features.flatMap(({ geometry, context }) => {
      const copies = [-1, 0, 1].map((copy) => moveGeometry(geometry, copy * world))
      const { family } = geometry
      const joined = family === 'POINT' ? copies : [{ family, parts: copies.flatMap(({ parts }) => parts) }]
      return joined.map((one) => ({ geometry: one, context }))
    }),
  }))
  return { ...scene, layers }
}

/** Moves a label into the world. */
function intoWorld(label: PlacedLabel): PlacedLabel {
  return moveLabel(label, -world * Math.floor(label.anchor[0] / world), 0)
}

const position = fc.tuple(fc.integer({ min: 0, max: world }), fc.integer({ min: 0, max: world }))
const geometry: fc.Arbitrary<PixelGeometry> = fc.oneof(
  position.map((at) => ({ family: 'POINT', parts: [[Float64Array.from(at)]] }) as const),
  fc
    .tuple(
      position,
      fc.array(fc.tuple(fc.integer({ min: -90, max: 90 }), fc.integer({ min: -30, max: 30 })), {
        minLength: 1,
        maxLength: 12,
      }),
    )
    .map(([start, steps]) => {
      const line = [...start]
      for (const [dx, dy] of steps) line.push((line.at(-2) ?? 0) + dx, (line.at(-1) ?? 0) + dy)
      return { family: 'LINESTRING', parts: [[Float64Array.from(line)]] } as const
    }),
  fc
    .array(fc.tuple(position, fc.integer({ min: 4, max: 900 }), fc.integer({ min: 4, max: 900 })), {
      minLength: 1,
      maxLength: 3,
    })
    .map((boxes) => ({
      family: 'POLYGON' as const,
      parts: boxes.map(([[x, y], width, height]) => [
        Float64Array.of(x, y, x + width, y, x + width, y + height, x, y + height, x, y),
      ]),
    })),
)

/** Returns the features that a frame knows: those that touch it or its margin, with the parts near by. */
function seenFrom({ box }: LabelFrame, scene: LabelScene): LabelScene {
  const isNear = (part: PixelPart, margin: number) => {
    const [minX, minY, maxX, maxY] = partBounds(part)
    return (
      maxX >= box[0] - margin && minX <= box[2] + margin && maxY >= box[1] - margin && minY <= box[3] + margin
    )
  }
  const layers = scene.layers.map((layer) => ({
    ...layer,
    features: layer.features
      .filter(({ geometry }) => geometry.parts.some((part) => isNear(part, frameMargin)))
      .map(({ geometry: { family, parts }, context }) => ({
        context,
        geometry: { family, parts: parts.filter((part) => isNear(part, frameMargin + clipMargin)) },
      })),
  }))
  return { ...scene, layers }
}

const keyOf = ({ runs, box }: PlacedLabel) =>
  `${runs.map(({ text }) => text).join('')} ${box.map((edge) => edge.toFixed(3)).join(' ')}`
const isIn = ({ box }: PlacedLabel, [minX, minY, maxX, maxY]: LabelFrame['box']) =>
  box[2] > minX && box[0] < maxX && box[3] > minY && box[1] < maxY

const textOf = ({ runs }: PlacedLabel) => runs.map(({ text }) => text).join('')
const boxOf = ([minX, minY, maxX, maxY]: Bbox) =>
  createBox([(minX + maxX) / 2, (minY + maxY) / 2], [maxX - minX, maxY - minY])

/** Points of any density, and names of which no two are alike, whose letters are squares of 10 pixels. */
const places = fc
  .tuple(
    fc.integer({ min: 0, max: 2 ** 31 - 2 }),
    fc.integer({ min: 1, max: 1500 }),
    fc.integer({ min: 4, max: 12 }),
  )
  .map(([seed, size, letters]) => {
    let state = seed
    const next = () => {
      state = (state * 16_807 + 1) % 2_147_483_647
      return state / 2_147_483_647
    }
    return Array.from({ length: size }, (_, at) => {
      const name = `${at}`.padEnd(4 + Math.floor(next() * letters), 'x')
      return { at: [next() * world, next() * world] as const, name, rank: Math.floor(next() * 1000) }
    })
  })

type Place = typeof places extends fc.Arbitrary<(infer Item)[]> ? Item : never

/** Counts places without a label although there is room for it beside all more important labels. */
function countLost(list: readonly Place[], scene: LabelScene, labels: readonly PlacedLabel[]): number {
  const compiled = compileLabels(scene.layers[0]?.style as Style, scene.scale)
  const order = new Map(list.map(({ name, rank }, at) => [name, at - rank * 1e6]))
  const known = new Map(labels.map((label) => [textOf(label), label]))
  const lost = (scene.layers[0]?.features ?? []).filter(({ geometry, context }) => {
    const name = String(context.attributes.name)
    if (known.has(name)) return false
    const taken = new CollisionIndex()
    for (const [other, { box }] of known)
      if ((order.get(other) ?? 0) < (order.get(name) ?? 0)) taken.add([boxOf(box)])
    const isFree = ({ boxes }: Candidate) => {
      const [left, top, right, bottom] = boundsOf(boxes)
      return left >= 0 && top >= 0 && right <= world && bottom <= world && !taken.overlaps(boxes)
    }
    const sites = compiled(context).flatMap((spec) => listSites(geometry, spec, scene.frame))
    return sites.some((site) => [...site.candidates(scene.measure)].some(isFree))
  })
  return lost.length
}

describe('labels of adjacent metatiles', () => {
  const placements = [
    { kind: 'around', distance: 3 },
    { kind: 'over', quadrant: [0, 0] },
    { kind: 'horizontal' },
    { kind: 'line', isCurved: true, sides: ['on', 'above'], distance: 1 },
  ] as const

  test('are the same wherever both see them, and no two overlap', () => {
    const scenes = fc.tuple(
      fc.array(geometry, { minLength: 1, maxLength: 400 }),
      fc.constantFrom(...placements),
      fc.constantFrom('name', 'a label', 'a label of many letters'),
    )
    const law = fc.property(scenes, ([geometries, placement, text]) => {
      const scene = sceneOf(geometries, [labelsWith(placement, { text })])
      const lists = frames.map((frame) => placeLabels({ ...seenFrom(frame, scene), frame }))
      const all = new Map(lists.flat().map((label) => [keyOf(label), label]))
      for (const [at, frame] of frames.entries()) {
        const own = new Set(lists[at]?.map(keyOf))
        const missing = [...all].filter(([key, label]) => isIn(label, frame.box) && !own.has(key))
        expect(missing.map(([key]) => key)).toEqual([])
      }
      if (placement.kind === 'line') return
      const boxes = [...all.values()].map(({ box }) => boxOf(box))
      for (const [at, box] of boxes.entries())
        expect(boxes.slice(at + 1).some((other) => boxesOverlap(box, other))).toBe(false)
    })
    fc.assert(law, run)
  })

  test('are the same on both sides of the antimeridian, and no two overlap there', () => {
    const scenes = fc.tuple(
      fc.array(geometry, { minLength: 1, maxLength: 300 }),
      // Letters along lines touch others by their rounding errors.
      fc.constantFrom(...placements.filter(({ kind }) => kind !== 'line')),
      fc.constantFrom('name', 'a label of many letters'),
    )
    let across = 0
    const law = fc.property(scenes, ([geometries, placement, text]) => {
      const scene = inCopies(sceneOf(geometries, [labelsWith(placement, { text })]))
      const lists = ring.map((frame) => placeLabels({ ...seenFrom(frame, scene), frame }))
      const all = new Map(lists.flat().map((label) => [keyOf(intoWorld(label)), intoWorld(label)]))
      const copies = [...all.values()].flatMap((label) =>
        [-1, 0, 1].map((copy) => moveLabel(label, copy * world, 0)),
      )
      for (const [at, frame] of ring.entries()) {
        const own = new Set(lists[at]?.map(keyOf))
        const missing = copies.filter((label) => isIn(label, frame.box) && !own.has(keyOf(label)))
        expect(missing.map(keyOf)).toEqual([])
      }
      across += copies.filter(({ box }) => box[0] < 0 && box[2] > 0).length
      const boxes = copies.filter((label) => isIn(label, [-300, 0, 300, world])).map(({ box }) => boxOf(box))
      for (const [at, box] of boxes.entries())
        expect(boxes.slice(at + 1).some((other) => boxesOverlap(box, other))).toBe(false)
    })
    fc.assert(law, run)
    expect(across).toBeGreaterThan(5)
  })

  test('are lost only where more important ones are', () => {
    const placements = fc.constantFrom(
      { kind: 'around', distance: 3 } as const,
      { kind: 'over', quadrant: [1, 0] } as const,
    )
    const priority = { op: 'field', name: 'rank' } as const
    let [total, lost] = [0, 0]
    const law = fc.property(places, placements, (list, placement) => {
      const labels = labelsWith(placement, { dataDefined: { priority } })
      const points = list.map(({ at }) => ({ family: 'POINT', parts: [[Float64Array.from(at)]] }) as const)
      const plain = sceneOf(points, [labels])
      const layers = plain.layers.map((layer) => ({
        ...layer,
        features: layer.features.map(({ geometry, context }, at) => {
          const { name, rank } = list[at] as Place
          return { geometry, context: { ...context, attributes: { name, rank } } }
        }),
      }))
      const scene = { ...plain, layers }
      const placed = frames.flatMap((frame) => placeLabels({ ...seenFrom(frame, scene), frame }))
      total += list.length
      lost += countLost(list, scene, placed)
    })
    fc.assert(law, run)
    // Decisions about labels half a frame away may reach a seam through a chain of collisions.
    expect(lost / total).toBeLessThan(0.0001)
  })
})
