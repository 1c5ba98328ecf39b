import { closeSync, openSync, readSync } from 'node:fs'
import { type Bytes, bytesOf } from '../../../core/bytes.ts'
import type { AnyByteGeometry, ByteGeometry, ByteSequence } from '../../../geo/byte_geometry.ts'
import type { Part } from '../../../geo/geometry.ts'
import { partsOfWkbType, wkbTypes } from '../../../geo/wkb.ts'
import type { FlatFeature } from '../../flatgeobuf/flat_reader.ts'
import type { ReadFeature } from '../../import/feature_reader.ts'

/** Bytes of the head of a record: its size, then flags. */
export const recordHead = 5
/** Flags of a record. */
export const recordFlags = { isFaulty: 1, isUnsorted: 2 } as const

const windowBytes = 1 << 18

/** A piece of a spool, with whole features. */
export interface SpoolPiece extends Bytes {
  /** Where each feature starts. */
  readonly starts: readonly number[]
}

/** Reads a spool in pieces of many features each; each one is valid until the next. */
export function* readSpool(path: string): Generator<SpoolPiece> {
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

/** Finds where the whole features before an end start, and where the next one does. */
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

/** Gives the feature that starts at a place. */
export function featureAt({ bytes, view }: Bytes, start: number): ReadFeature {
  const size = view.getUint32(start, true)
  const properties = start + recordHead
  const at = geometryAt({ bytes, view }, start)
  const geometry = bytes[at] === 0 ? 0 : at
  const feature = { bytes, view, geometry, properties, size }
  if (((bytes[start + 4] as number) & recordFlags.isFaulty) === 0) return feature
  const end = start + size - 2
  return { ...feature, fault: { reason: bytes.toString('utf8', end - view.getUint16(end, true), end) } }
}

/** Finds the geometry of the feature that starts at a place: its first byte is 0 where there is none. */
export function geometryAt({ view }: Bytes, start: number): number {
  const properties = start + recordHead
  return properties + 4 + view.getUint32(properties, true)
}

/** Tells whether properties stand in another order than the columns, or twice. */
export function isUnsorted({ bytes, properties }: FlatFeature): boolean {
  return ((bytes[properties - 1] as number) & recordFlags.isUnsorted) !== 0
}

/** Where the positions of a geometry stand. */
export interface SpooledPositions {
  readonly at: number
  readonly count: number
  readonly hasZ: boolean
}

/** Finds the positions of a geometry that stands in the spool. */
export function positionsAt({ bytes, view }: Bytes, geometry: number): SpooledPositions {
  return { at: geometry + 6, count: view.getUint32(geometry + 2, true), hasZ: bytes[geometry + 1] === 1 }
}

/** Reads the geometry of a feature, in place; undefined where it has none. */
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
    // A position without a height has one of 0 there.
    return readMember(cursor, { type: bytes[head] as number, hasZ, count: view.getUint32(head + 1, true) })
  })
  return { family: 'COLLECTION', members }
}

interface Cursor {
  readonly data: Bytes
  readonly step: number
  /** Where the next position stands. */
  position: number
  /** Where the next number of the structure stands. */
  at: number
}

interface MemberHead {
  readonly type: number
  readonly hasZ: boolean
  readonly count: number
}

function readMember(cursor: Cursor, { type, hasZ, count }: MemberHead): ByteGeometry {
  const kind = partsOfWkbType(type)
  if (kind === undefined) throw new Error(`the spool has no geometries of type ${type}`)
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
