import type { GeometryFamily } from '../contract/geometry.ts'
import { type Bytes, bytesOf } from '../core/bytes.ts'
import { findTarget, follow, vectorLength } from './flatbuffer.ts'
import { type FlatFeature, type FlatHeader, flatTypes, geometryTypeAt } from './flatgeobuf.ts'

/** A run of positions, where they stand. Coordinates are little-endian doubles. */
export interface Path {
  readonly data: Bytes
  /** Where x of the first position stands; y follows it. */
  readonly at: number
  /** Bytes from one x to the next. */
  readonly step: number
  /** Where z of the first position stands; -1 where there is none. */
  readonly zAt: number
  readonly zStep: number
  /** Number of positions. */
  readonly count: number
  /** Whether the first position is to be repeated at the end. */
  readonly isOpen: boolean
}

/** A point, a line or a polygon: a polygon's first path is its outer ring. */
export type Part = readonly Path[]

/** A geometry taken apart. `mixed` is a collection of different families, or of something else altogether. */
export interface Shape {
  readonly family: GeometryFamily | 'mixed'
  readonly isMulti: boolean
  /** Whether it came as a collection of any geometries. */
  readonly isCollection: boolean
  readonly parts: readonly { readonly family: GeometryFamily; readonly paths: Part }[]
}

type FamilyPart = Shape['parts'][number]

/** Takes the geometry of a feature apart; undefined where it has none. */
export function findShape(feature: FlatFeature, header: FlatHeader): Shape | undefined {
  if (feature.geometry === 0) return undefined
  const type = geometryTypeAt(feature, feature.geometry, header)
  if (type === flatTypes.point) return findPoint(feature, feature.geometry)
  const parts = partsOf(feature, feature.geometry, type)
  return parts === undefined || parts.length > 0 ? makeShape(parts, type) : undefined
}

/** There are more points than anything else, so they go the short way. */
function findPoint(data: Bytes, table: number): Shape | undefined {
  const xy = findTarget(data, table, 1)
  if (vectorLength(data, xy) === 0) return undefined
  const z = findTarget(data, table, 2)
  const path = { data, at: xy + 4, step: 16, zAt: z === 0 ? -1 : z + 4, zStep: 8, count: 1, isOpen: false }
  return { family: 'POINT', isMulti: false, isCollection: false, parts: [{ family: 'POINT', paths: [path] }] }
}

const multiTypes: ReadonlySet<number> = new Set([
  flatTypes.multiPoint,
  flatTypes.multiLineString,
  flatTypes.multiPolygon,
  flatTypes.polyhedralSurface,
  flatTypes.tin,
])

/** Puts a shape together; parts are undefined for geometries that no layer takes. */
export function makeShape(parts: readonly FamilyPart[] | undefined, type: number): Shape {
  const isCollection = type === flatTypes.geometryCollection
  if (parts === undefined) return { family: 'mixed', isMulti: true, isCollection, parts: [] }
  const family = parts[0]?.family ?? 'mixed'
  const isMixed = parts.some((part) => part.family !== family)
  return {
    family: isMixed ? 'mixed' : family,
    isMulti: multiTypes.has(type),
    isCollection,
    parts,
  }
}

function partsOf(data: Bytes, table: number, type: number): FamilyPart[] | undefined {
  switch (type) {
    case flatTypes.point:
      return runs(data, table).map((path) => ({ family: 'POINT', paths: [path] }))
    case flatTypes.multiPoint:
      return runs(data, table).flatMap(splitPoints)
    case flatTypes.lineString:
    case flatTypes.multiLineString:
      return runs(data, table).map((path) => ({ family: 'LINESTRING', paths: [path] }))
    case flatTypes.polygon:
    case flatTypes.triangle:
      return polygonOf(runs(data, table))
    case flatTypes.multiPolygon:
    case flatTypes.polyhedralSurface:
    case flatTypes.tin:
      return membersOf(data, table, flatTypes.polygon)
    case flatTypes.geometryCollection:
      return membersOf(data, table, 0)
    default:
      return undefined
  }
}

function polygonOf(paths: Part): FamilyPart[] {
  return paths.length === 0 ? [] : [{ family: 'POLYGON', paths }]
}

/** Parts of the members of a geometry, each of `type`, or of the type that it says itself where that is 0. */
function membersOf(data: Bytes, table: number, type: number): FamilyPart[] | undefined {
  const vector = findTarget(data, table, 7)
  const found: FamilyPart[] = []
  for (let index = 0; index < vectorLength(data, vector); index++) {
    const member = follow(data, vector + 4 + 4 * index)
    const memberType = type || geometryTypeAt(data, member, { geometryType: 0, columns: [], offset: 0 })
    const parts = partsOf(data, member, memberType)
    if (parts === undefined) return undefined
    found.push(...parts)
  }
  return found
}

/** Cuts the positions of a geometry table where its `ends` say. */
function runs(data: Bytes, table: number): Path[] {
  const xy = findTarget(data, table, 1)
  const z = findTarget(data, table, 2)
  const total = vectorLength(data, xy) / 2
  if (total === 0) return []
  const ends = findTarget(data, table, 0)
  const run = (from: number, to: number): Path => ({
    data,
    at: xy + 4 + 16 * from,
    step: 16,
    zAt: z === 0 ? -1 : z + 4 + 8 * from,
    zStep: 8,
    count: to - from,
    isOpen: false,
  })
  const count = vectorLength(data, ends)
  if (count === 0) return [run(0, total)]
  const paths: Path[] = []
  let from = 0
  for (let index = 0; index < count; index++) {
    const to = data.view.getUint32(ends + 4 + 4 * index, true)
    paths.push(run(from, to))
    from = to
  }
  return paths
}

function splitPoints(path: Path): FamilyPart[] {
  return Array.from({ length: path.count }, (_, index) => ({
    family: 'POINT',
    paths: [
      {
        ...path,
        at: path.at + index * path.step,
        zAt: path.zAt < 0 ? -1 : path.zAt + index * path.zStep,
        count: 1,
      },
    ],
  }))
}

/** Tells whether any position has a z other than 0. */
export function hasHeight(shape: Shape): boolean {
  return shape.parts.some(({ paths }) => paths.some(pathHasHeight))
}

function pathHasHeight({ data, zAt, zStep, count }: Path): boolean {
  if (zAt < 0) return false
  for (let index = 0; index < count; index++) {
    if (data.view.getFloat64(zAt + index * zStep, true) !== 0) return true
  }
  return false
}

/**
 * Takes well-known binary apart, as GDAL gives it back from mending: little-endian, ISO or extended types for Z.
 *
 * @see OGC 06-103r4 clause 8
 */
export function parseWkb(wkb: Buffer): Shape {
  const data = bytesOf(wkb)
  const type = data.view.getUint32(1, true)
  const cursor = { at: 0 }
  return makeShape(wkbParts(data, cursor), type % 1000)
}

function wkbParts(data: Bytes, cursor: { at: number }): FamilyPart[] | undefined {
  const code = data.view.getUint32(cursor.at + 1, true)
  const hasZ = (code & 0x8000_0000) !== 0 || Math.floor((code & 0xffff) / 1000) === 1
  const type = (code & 0xffff) % 1000
  cursor.at += 5
  if (type === flatTypes.point)
    return [{ family: 'POINT', paths: [wkbPath(data, cursor, { count: 1, hasZ })] }]
  const count = data.view.getUint32(cursor.at, true)
  cursor.at += 4
  if (type === flatTypes.lineString) {
    return count === 0 ? [] : [{ family: 'LINESTRING', paths: [wkbPath(data, cursor, { count, hasZ })] }]
  }
  if (type === flatTypes.polygon) {
    return polygonOf(Array.from({ length: count }, () => wkbRing(data, cursor, hasZ)))
  }
  if (type > flatTypes.geometryCollection) return undefined
  const found: FamilyPart[] = []
  for (let index = 0; index < count; index++) {
    const parts = wkbParts(data, cursor)
    if (parts === undefined) return undefined
    found.push(...parts)
  }
  return found
}

function wkbRing(data: Bytes, cursor: { at: number }, hasZ: boolean): Path {
  const count = data.view.getUint32(cursor.at, true)
  cursor.at += 4
  return wkbPath(data, cursor, { count, hasZ })
}

function wkbPath(
  data: Bytes,
  cursor: { at: number },
  { count, hasZ }: { count: number; hasZ: boolean },
): Path {
  const step = hasZ ? 24 : 16
  const at = cursor.at
  cursor.at += count * step
  return { data, at, step, zAt: hasZ ? at + 16 : -1, zStep: step, count, isOpen: false }
}
