import { VectorTile, type VectorTileFeature } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { expect } from 'vitest'
import type { Ask } from './server.ts'

type Position = readonly [x: number, y: number]

/** A feature of a decoded tile. */
export interface DecodedFeature {
  readonly id: number
  readonly properties: Readonly<Record<string, unknown>>
  /** 1 for points, 2 for lines, 3 for polygons. */
  readonly type: number
  readonly parts: readonly (readonly Position[])[]
}

/** Decodes the features of a layer of a tile. */
export function decodeFeatures(bytes: Uint8Array, name: string): DecodedFeature[] {
  const layer = new VectorTile(new PbfReader(bytes)).layers[name]
  return Array.from({ length: layer?.length ?? 0 }, (_, at) => decodeFeature(layer?.feature(at)))
}

function decodeFeature(feature: VectorTileFeature | undefined): DecodedFeature {
  const parts = (feature?.loadGeometry() ?? []).map((part) => part.map(({ x, y }): Position => [x, y]))
  return { id: feature?.id ?? 0, type: feature?.type ?? 0, properties: { ...feature?.properties }, parts }
}

/** Requests a vector tile of a layer, and decodes it. `path` has a query without `resource`. */
export async function readTile(ask: Ask, path: string, layer: number) {
  const answer = await ask('GET', `${path}&resource=${layer}`)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  return { status: answer.status, features: decodeFeatures(bytes, `svc:${layer}`) }
}

/** Distance in units up to which geometries are the same: one unit in each direction. */
const tolerance = Math.SQRT2

/** What two geometries are compared with. */
export interface MatchOptions {
  /** Smallest and largest coordinate to compare. */
  readonly range: readonly [min: number, max: number]
  /** Returns numbers from 0 to 1. */
  readonly random: () => number
}

/**
 * Returns a position where two geometries differ by more than a unit; undefined if they are the same. A feature that is
 * missing has no parts, so that it is the same as one that is thinner than a unit.
 */
export function findDifference(
  one: Omit<DecodedFeature, 'id' | 'properties'>,
  other: Pick<DecodedFeature, 'parts'>,
  { range: [min, max], random }: MatchOptions,
): Position | undefined {
  const isCompared = ([x, y]: Position) => x > min + 2 && x < max - 2 && y > min + 2 && y < max - 2
  if (one.type === 3)
    return samplePlaces([...one.parts, ...other.parts], random)
      .filter(isCompared)
      .find(
        (place) =>
          contains(one.parts, place) !== contains(other.parts, place) &&
          Math.min(distance(one.parts, place), distance(other.parts, place)) > tolerance,
      )
  const isFar = (parts: DecodedFeature['parts']) => (place: Position) =>
    isCompared(place) && distance(parts, place) > tolerance
  const isMissing = one.parts.length === 0 || other.parts.length === 0
  if (isMissing && isShort([...one.parts, ...other.parts].flat())) return undefined
  return one.parts.flat().find(isFar(other.parts)) ?? other.parts.flat().find(isFar(one.parts))
}

/**
 * Expects the features of two tiles to have the same ids, attributes and, within one unit, geometries, in order of their
 * ids. Returns how many there are.
 */
export function expectSameFeatures(
  found: readonly DecodedFeature[],
  expected: readonly DecodedFeature[],
  options: MatchOptions,
): number {
  const [expectedById, foundById] = [expected, found].map((all) => new Map(all.map((one) => [one.id, one])))
  const ids = [...new Set([...expected, ...found].map(({ id }) => id))]
  for (const id of ids) {
    const [one, other] = [expectedById?.get(id), foundById?.get(id)]
    const present = one ?? other
    if (present === undefined) continue
    expect(other?.properties ?? present.properties).toEqual(one?.properties ?? present.properties)
    expect(other?.type ?? present.type).toBe(present.type)
    const parts = one?.parts ?? []
    const difference = findDifference({ type: present.type, parts }, { parts: other?.parts ?? [] }, options)
    expect({ id, difference, one: difference && one, other: difference && other }).toEqual({ id })
  }
  const order = found.map(({ id }) => id)
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  return ids.length
}

function isShort(positions: readonly Position[]): boolean {
  const [first = [0, 0]] = positions
  return positions.every(([x, y]) => Math.hypot(x - first[0], y - first[1]) <= tolerance)
}

/** Returns places near the corners of parts, and between them. */
function samplePlaces(parts: DecodedFeature['parts'], random: () => number): Position[] {
  return parts.flatMap((part) =>
    part.flatMap(([x, y], at): Position[] => {
      const [x2, y2] = part[Math.floor(random() * part.length)] ?? [x, y]
      const near = () => (random() - 0.5) * 10
      return [
        [x + near(), y + near()],
        [(x + x2) / 2 + near(), (y + y2) / 2 + near()],
        [x + (x2 - x) * random(), y + (y2 - y) * random() + (at % 2)],
      ]
    }),
  )
}

/** Returns whether a place is inside an odd number of rings. */
function contains(rings: DecodedFeature['parts'], [x, y]: Position): boolean {
  let isInside = false
  for (const [[x0, y0], [x1, y1]] of rings.flatMap(edgesOf))
    if (y0 > y !== y1 > y && x < x0 + ((x1 - x0) * (y - y0)) / (y1 - y0)) isInside = !isInside
  return isInside
}

function distance(parts: DecodedFeature['parts'], [x, y]: Position): number {
  const distances = parts.flatMap(edgesOf).map(([[x0, y0], [x1, y1]]) => {
    const [dx, dy] = [x1 - x0, y1 - y0]
    const length = dx * dx + dy * dy
    const part = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length))
    return Math.hypot(x - x0 - part * dx, y - y0 - part * dy)
  })
  return Math.min(Number.POSITIVE_INFINITY, ...distances)
}

const edgesOf = (part: readonly Position[]): [Position, Position][] =>
  part.map((position, at) => [part[Math.max(0, at - 1)] ?? position, position])
