import { closeSync, openSync, readSync } from 'node:fs'
import { type Bytes, bytesOf } from '../../../core/bytes.ts'
import type { AnyByteGeometry, ByteGeometry, ByteSequence } from '../../../geo/byte_geometry.ts'
import type { Part } from '../../../geo/geometry.ts'
import { partsOfWkbType, wkbTypes } from '../../../geo/wkb.ts'
import type { FlatFeature } from '../../flatgeobuf/flat_reader.ts'
import type { ReadFeature } from '../../import/feature_reader.ts'

/** Size of the header of a record: size and flags. */
export const recordHeaderBytes = 5
/** Flags of a record. */
export const recordFlags = { isFaulty: 1, isUnsorted: 2 } as const

const windowBytes = 1 << 18

/** A chunk of a spool file, with complete features. */
export interface SpoolChunk extends Bytes {
  /** Positions of the features. */
  readonly starts: readonly number[]
}

/** Reads a spool file in chunks of many features; each chunk is valid until the next. */
export function* readSpool(path: string): Generator<SpoolChunk> {
  const file = openSync(path, 'r')
  try {
    let data = bytesOf(Buffer.allocUnsafe(windowBytes))
    let end = 0
    for (;;) {
      const read = readSync(file, data.bytes, end, data.bytes.length - end, null)
      if (read === 0) return
      end += read
      const { starts, next } = findStarts(data, end)
      yield { ...data, starts }
      const size = end - next < 4 ? 4 : data.view.getUint32(next, true)
      const target = size > data.bytes.length ? bytesOf(Buffer.allocUnsafe(2 * size)) : data
      data.bytes.copy(target.bytes, 0, next, end)
      data = target
      end -= next
    }
  } finally {
    closeSync(file)
  }
}

/** Returns the positions of the complete features before `end`, and of the next one. */
function findStarts({ view }: Bytes, end: number): { starts: number[]; next: number } {
  const starts: number[] = []
  let next = 0
  while (end - next >= 4) {
    const size = view.getUint32(next, true)
    if (end - next < size) break
    starts.push(next)
    next += size
  }
  return { starts, next }
}

/** Returns the feature at a position. */
export function featureAt({ bytes, view }: Bytes, start: number): ReadFeature {
  const size = view.getUint32(start, true)
  const properties = start + recordHeaderBytes
  const at = geometryAt({ bytes, view }, start)
  const geometry = bytes[at] === 0 ? 0 : at
  const feature = { bytes, view, geometry, properties, size }
  if (((bytes[start + 4] as number) & recordFlags.isFaulty) === 0) return feature
  const end = start + size - 2
  return { ...feature, fault: { reason: bytes.toString('utf8', end - view.getUint16(end, true), end) } }
}

/** Returns the position of the geometry of the feature at a position. Its first byte is 0 for a null geometry. */
export function geometryAt({ view }: Bytes, start: number): number {
  const properties = start + recordHeaderBytes
  return properties + 4 + view.getUint32(properties, true)
}

/** Tells whether properties are not in column order, or repeated. */
export function isUnsorted({ bytes, properties }: FlatFeature): boolean {
  return ((bytes[properties - 1] as number) & recordFlags.isUnsorted) !== 0
}

/** Location of the positions of a geometry. */
export interface SpooledPositions {
  readonly at: number
  readonly count: number
  readonly hasZ: boolean
}

/** Finds the positions of a geometry in a spool file. */
export function positionsAt({ bytes, view }: Bytes, geometry: number): SpooledPositions {
  return { at: geometry + 6, count: view.getUint32(geometry + 2, true), hasZ: bytes[geometry + 1] === 1 }
}

/** Reads the geometry of a feature without copying it; undefined for a null geometry. */
export function readSpooledGeometry(feature: FlatFeature): AnyByteGeometry | undefined {
  const { bytes, view, geometry } = feature
  if (geometry === 0) return undefined
  const { at, count, hasZ } = positionsAt(feature, geometry)
  const step = hasZ ? 24 : 16
  const cursor = { data: { bytes, view }, position: at, step, at: at + step * count }
  const type = bytes[geometry] as number
  if (type !== wkbTypes.geometryCollection) return readMember(cursor, { type, hasZ, count })
  cursor.at += 4
  const members = Array.from({ length: view.getUint32(cursor.at - 4, true) }, () => {
    const { at: head } = cursor
    cursor.at += 5
    // Positions without a height have a height of 0 here.
    return readMember(cursor, { type: bytes[head] as number, hasZ, count: view.getUint32(head + 1, true) })
  })
  return { family: 'COLLECTION', members }
}

interface Cursor {
  readonly data: Bytes
  readonly step: number
  /** Offset of the next position. */
  position: number
  /** Offset of the next number of the structure. */
  at: number
}

interface MemberHead {
  readonly type: number
  readonly hasZ: boolean
  readonly count: number
}

function readMember(cursor: Cursor, { type, hasZ, count }: MemberHead): ByteGeometry {
  const kind = partsOfWkbType(type)
  if (kind === undefined) throw new Error(`unsupported geometry type ${type} in the spool file`)
  const { family, isMulti } = kind
  return { family, isMulti, hasZ, parts: readParts(cursor, { type, hasZ, count }) }
}

function readParts(cursor: Cursor, { type, hasZ, count }: MemberHead): Part<ByteSequence>[] {
  const sequence = (positions: number) => readSequence(cursor, positions, hasZ)
  switch (type) {
    case wkbTypes.multiPoint:
      return Array.from({ length: count }, () => [sequence(1)])
    case wkbTypes.multiLineString:
      return readRings(cursor, hasZ).map((line) => [line])
    case wkbTypes.polygon:
      return [readRings(cursor, hasZ)]
    case wkbTypes.multiPolygon:
      return Array.from({ length: readNumber(cursor) }, () => readRings(cursor, hasZ))
    default:
      return [[sequence(count)]]
  }
}

function readRings(cursor: Cursor, hasZ: boolean): Part<ByteSequence> {
  return Array.from({ length: readNumber(cursor) }, () => readSequence(cursor, readNumber(cursor), hasZ))
}

function readNumber(cursor: Cursor): number {
  cursor.at += 4
  return cursor.data.view.getUint32(cursor.at - 4, true)
}

function readSequence(cursor: Cursor, count: number, hasZ: boolean): ByteSequence {
  const { data, step, position: at } = cursor
  cursor.position += count * step
  return { data, at, step, zAt: hasZ ? at + 16 : -1, zStep: step, count, isOpen: false }
}
