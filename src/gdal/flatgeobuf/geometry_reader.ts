import type { Bytes } from '../../core/bytes.ts'
import type { AnyByteGeometry, ByteGeometry, ByteSequence } from '../../geo/byte_geometry.ts'
import type { Part } from '../../geo/geometry.ts'
import { wkbTypes } from '../../geo/wkb.ts'
import { type FlatFeature, type FlatHeader, geometryTypeAt } from './flat_reader.ts'
import { findTarget, follow, vectorLength } from './flatbuffer.ts'

/** Reads the geometry of a feature without copying it; undefined for a null geometry. */
export function readFlatGeometry(feature: FlatFeature, header: FlatHeader): AnyByteGeometry | undefined {
  if (feature.geometry === 0) return undefined
  const type = geometryTypeAt(feature, feature.geometry, header)
  if (type === wkbTypes.point) return readPoint(feature, feature.geometry)
  const geometry = readTable(feature, feature.geometry, type)
  return isEmpty(geometry) ? undefined : geometry
}

function isEmpty(geometry: AnyByteGeometry): boolean {
  if (geometry.family === 'UNSUPPORTED') return false
  return (geometry.family === 'COLLECTION' ? geometry.members : geometry.parts).length === 0
}

/** Fast path for points, the most frequent geometries. */
function readPoint(data: Bytes, table: number): ByteGeometry | undefined {
  const xy = findTarget(data, table, 1)
  if (vectorLength(data, xy) === 0) return undefined
  const z = findTarget(data, table, 2)
  const zAt = z === 0 ? -1 : z + 4
  const position = { data, at: xy + 4, step: 16, zAt, zStep: 8, count: 1, isOpen: false }
  return { family: 'POINT', isMulti: false, hasZ: z !== 0, parts: [[position]] }
}

/** Header for members of a collection, which have their own types. */
const ownType: FlatHeader = { geometryType: 0, columns: [], offset: 0 }

function readTable(data: Bytes, table: number, type: number): AnyByteGeometry {
  switch (type) {
    case wkbTypes.point:
      return geometryOf('POINT', false, sequencesOf(data, table).map(only))
    case wkbTypes.multiPoint:
      return geometryOf('POINT', true, sequencesOf(data, table).flatMap(splitPoints).map(only))
    case wkbTypes.lineString:
    case wkbTypes.multiLineString:
      return geometryOf('LINESTRING', type !== wkbTypes.lineString, sequencesOf(data, table).map(only))
    case wkbTypes.polygon:
    case wkbTypes.triangle:
      return geometryOf('POLYGON', false, polygonAt(data, table))
    case wkbTypes.multiPolygon:
    case wkbTypes.polyhedralSurface:
    case wkbTypes.tin:
      return geometryOf(
        'POLYGON',
        true,
        membersOf(data, table).flatMap((member) => polygonAt(data, member)),
      )
    case wkbTypes.geometryCollection:
      return readCollection(data, table)
    default:
      return { family: 'UNSUPPORTED' }
  }
}

function geometryOf(
  family: ByteGeometry['family'],
  isMulti: boolean,
  parts: readonly Part<ByteSequence>[],
): ByteGeometry {
  return { family, isMulti, hasZ: (parts[0]?.[0]?.zAt ?? -1) >= 0, parts }
}

const only = (sequence: ByteSequence): Part<ByteSequence> => [sequence]

function readCollection(data: Bytes, table: number): AnyByteGeometry {
  const members: ByteGeometry[] = []
  for (const at of membersOf(data, table)) {
    const member = readTable(data, at, geometryTypeAt(data, at, ownType))
    if (member.family === 'UNSUPPORTED') return member
    if (member.family === 'COLLECTION') members.push(...member.members)
    else if (member.parts.length > 0) members.push(member)
  }
  return { family: 'COLLECTION', members }
}

function polygonAt(data: Bytes, table: number): Part<ByteSequence>[] {
  const rings = sequencesOf(data, table)
  return rings.length === 0 ? [] : [rings]
}

/** Returns the positions of the member tables of a geometry. */
function membersOf(data: Bytes, table: number): number[] {
  const vector = findTarget(data, table, 7)
  return Array.from({ length: vectorLength(data, vector) }, (_, index) =>
    follow(data, vector + 4 + 4 * index),
  )
}

/** Splits the coordinates of a geometry table at its `ends`. */
function sequencesOf(data: Bytes, table: number): ByteSequence[] {
  const xy = findTarget(data, table, 1)
  const z = findTarget(data, table, 2)
  const total = vectorLength(data, xy) / 2
  if (total === 0) return []
  const ends = findTarget(data, table, 0)
  const sequence = (from: number, to: number): ByteSequence => ({
    data,
    at: xy + 4 + 16 * from,
    step: 16,
    zAt: z === 0 ? -1 : z + 4 + 8 * from,
    zStep: 8,
    count: to - from,
    isOpen: false,
  })
  const count = vectorLength(data, ends)
  if (count === 0) return [sequence(0, total)]
  const sequences: ByteSequence[] = []
  let from = 0
  for (let index = 0; index < count; index++) {
    const to = data.view.getUint32(ends + 4 + 4 * index, true)
    sequences.push(sequence(from, to))
    from = to
  }
  return sequences
}

function splitPoints(points: ByteSequence): ByteSequence[] {
  const { at, step, zAt, zStep, count } = points
  return Array.from({ length: count }, (_, index) => ({
    ...points,
    at: at + index * step,
    zAt: zAt < 0 ? -1 : zAt + index * zStep,
    count: 1,
  }))
}
