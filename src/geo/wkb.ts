import type { GeometryFamily, GeometryParts } from '../contract/geometry.ts'
import type { Bytes } from '../core/bytes.ts'
import type { AnyByteGeometry, ByteGeometry, ByteSequence } from './byte_geometry.ts'
import type { Part } from './geometry.ts'

/** Type numbers of well-known binary; FlatGeobuf has the same. @see OGC 06-103r4 clause 8.2.3 */
export const wkbTypes = {
  point: 1,
  lineString: 2,
  polygon: 3,
  multiPoint: 4,
  multiLineString: 5,
  multiPolygon: 6,
  geometryCollection: 7,
  polyhedralSurface: 15,
  tin: 16,
  triangle: 17,
} as const

const families: readonly GeometryFamily[] = ['POINT', 'LINESTRING', 'POLYGON']

/** Returns the number of a geometry type, without the flags for Z and for the reference system. */
export function wkbTypeOf({ family, isMulti }: Omit<GeometryParts, 'hasZ'>): number {
  return families.indexOf(family) + (isMulti ? 4 : 1)
}

/** Returns the family and whether it is multi of a type number up to 6. */
export function partsOfWkbType(type: number): Omit<GeometryParts, 'hasZ'> | undefined {
  const family = type >= 1 && type <= 6 ? families[(type - 1) % 3] : undefined
  return family && { family, isMulti: type > 3 }
}

const zFlag = 0x8000_0000
const sridFlag = 0x2000_0000

interface Cursor {
  readonly data: Bytes
  at: number
}

/**
 * Parses well-known binary, little-endian, with ISO or extended types for Z and with or without a reference system.
 * Positions stay in the buffer.
 *
 * @see OGC 06-103r4 clause 8; https://postgis.net/docs/using_postgis_dbmanagement.html EWKB
 */
export function readWkb(data: Bytes, at = 0): AnyByteGeometry {
  return readGeometry({ data, at })
}

function readGeometry(cursor: Cursor): AnyByteGeometry {
  const { view } = cursor.data
  const code = view.getUint32(cursor.at + 1, true)
  cursor.at += (code & sridFlag) === 0 ? 5 : 9
  const hasZ = (code & zFlag) !== 0 || Math.floor((code & 0xffff) / 1000) === 1
  const type = (code & 0xffff) % 1000
  if (type === wkbTypes.geometryCollection) return readCollection(cursor)
  const kind = partsOfWkbType(type)
  if (kind === undefined) return { family: 'UNSUPPORTED' }
  const { family, isMulti } = kind
  if (!isMulti) {
    const part = readPart(cursor, family, hasZ)
    return { family, isMulti, hasZ, parts: part.length === 0 ? [] : [part] }
  }
  const parts: Part<ByteSequence>[] = []
  for (let left = readCount(cursor); left > 0; left -= 1) {
    cursor.at += 5
    const part = readPart(cursor, family, hasZ)
    if (part.length > 0) parts.push(part)
  }
  return { family, isMulti, hasZ, parts }
}

function readCollection(cursor: Cursor): AnyByteGeometry {
  const members: ByteGeometry[] = []
  for (let left = readCount(cursor); left > 0; left -= 1) {
    const member = readGeometry(cursor)
    if (member.family === 'UNSUPPORTED') return member
    if (member.family === 'COLLECTION') members.push(...member.members)
    else members.push(member)
  }
  return { family: 'COLLECTION', members }
}

/** Reads a point, line or polygon; an empty one has no sequences. */
function readPart(cursor: Cursor, family: GeometryFamily, hasZ: boolean): Part<ByteSequence> {
  if (family === 'POINT') {
    const isEmpty = Number.isNaN(cursor.data.view.getFloat64(cursor.at, true))
    const point = readSequence(cursor, 1, hasZ)
    return isEmpty ? [] : [point]
  }
  const count = readCount(cursor)
  if (family === 'LINESTRING') return count === 0 ? [] : [readSequence(cursor, count, hasZ)]
  return Array.from({ length: count }, () => readSequence(cursor, readCount(cursor), hasZ))
}

function readSequence(cursor: Cursor, count: number, hasZ: boolean): ByteSequence {
  const { data, at } = cursor
  const step = hasZ ? 24 : 16
  cursor.at += count * step
  return { data, at, step, zAt: hasZ ? at + 16 : -1, zStep: step, count, isOpen: false }
}

function readCount(cursor: Cursor): number {
  cursor.at += 4
  return cursor.data.view.getUint32(cursor.at - 4, true)
}

/** A buffer to write to, and the offset of the next byte. */
export interface ByteSink extends Bytes {
  at: number
}

/** Geometry type and reference system to write. */
export interface EwkbTarget extends GeometryParts {
  /** EPSG code; 0 writes none. */
  readonly srs: number
}

/**
 * Writes a geometry as extended well-known binary, little-endian. The buffer must be large enough. If only the target has
 * z, it is written as 0.
 */
export function writeEwkb(sink: ByteSink, { parts }: Pick<ByteGeometry, 'parts'>, target: EwkbTarget): void {
  const { family, isMulti, hasZ, srs } = target
  const flags = (hasZ ? zFlag : 0) | (srs === 0 ? 0 : sridFlag)
  writeHead(sink, (flags | wkbTypeOf(target)) >>> 0)
  if (srs !== 0) writeCount(sink, srs)
  if (!isMulti) {
    const [part] = parts
    if (part !== undefined) writePart(sink, part, target)
    return
  }
  const single = ((hasZ ? zFlag : 0) | wkbTypeOf({ family, isMulti: false })) >>> 0
  writeCount(sink, parts.length)
  for (const part of parts) {
    writeHead(sink, single)
    writePart(sink, part, target)
  }
}

/** Returns the maximum number of bytes that `writeEwkb` needs. */
export function ewkbRoom({ parts }: Pick<ByteGeometry, 'parts'>): number {
  let room = 32
  for (const part of parts) {
    room += 16
    for (const sequence of part) room += 8 + 24 * (sequence.count + 1)
  }
  return room
}

function writeHead(sink: ByteSink, code: number): void {
  sink.bytes[sink.at] = 1
  sink.view.setUint32(sink.at + 1, code, true)
  sink.at += 5
}

function writeCount(sink: ByteSink, count: number): void {
  sink.view.setUint32(sink.at, count, true)
  sink.at += 4
}

function writePart(sink: ByteSink, part: Part<ByteSequence>, { family, hasZ }: GeometryParts): void {
  if (family === 'POLYGON') writeCount(sink, part.length)
  for (const sequence of part) {
    if (family !== 'POINT') writeCount(sink, sequence.count + (sequence.isOpen ? 1 : 0))
    writePositions(sink, sequence, { count: sequence.count, hasZ })
    if (sequence.isOpen) writePositions(sink, sequence, { count: 1, hasZ })
  }
}

interface PositionRange {
  readonly count: number
  readonly hasZ: boolean
}

/** Writes the first positions of a sequence. Negative zeros become zeros, as in WKT: equal geometries have equal bytes. */
function writePositions(
  sink: ByteSink,
  { data, at, step, zAt, zStep }: ByteSequence,
  { count, hasZ }: PositionRange,
): void {
  if (!hasZ && step === 16 && count > 1) {
    const end = sink.at + data.bytes.copy(sink.bytes, sink.at, at, at + count * step)
    for (; sink.at < end; sink.at += 8) clearNegativeZero(sink)
    return
  }
  for (let index = 0; index < count; index++) {
    const xAt = at + index * step
    sink.view.setFloat64(sink.at, data.view.getFloat64(xAt, true) + 0, true)
    sink.view.setFloat64(sink.at + 8, data.view.getFloat64(xAt + 8, true) + 0, true)
    if (hasZ)
      sink.view.setFloat64(
        sink.at + 16,
        zAt < 0 ? 0 : data.view.getFloat64(zAt + index * zStep, true) + 0,
        true,
      )
    sink.at += hasZ ? 24 : 16
  }
}

function clearNegativeZero({ bytes, view, at }: ByteSink): void {
  // Looks at the byte of the sign first: other values pass quickly.
  if (bytes[at + 7] === 0x80 && view.getFloat64(at, true) === 0) bytes[at + 7] = 0
}
