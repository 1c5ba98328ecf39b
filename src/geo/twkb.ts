import type { GeometryFamily } from '../contract/geometry.ts'
import type { PackedGeometry } from './packed_geometry.ts'
import { partsOfWkbType, wkbTypes } from './wkb.ts'

/**
 * Parses Tiny WKB of integers (precision 0, no Z), as `ST_AsTWKB(geom, 0)` writes it for tile units. Ignores geometries
 * of other families, because clipping a polygon may leave lines and points along the edge.
 *
 * @see https://github.com/TWKB/Specification/blob/master/twkb.md
 */
export function parseTwkb(bytes: Uint8Array, family: GeometryFamily, into: PackedGeometry): PackedGeometry {
  into.reset(family)
  readGeometry({ bytes, at: 0, x: 0, y: 0 }, into)
  return into
}

/** Where the reader is: differences of coordinates continue across the parts of a geometry. */
interface Cursor {
  readonly bytes: Uint8Array
  at: number
  x: number
  y: number
}

const flags = { bbox: 1, size: 2, ids: 4, extended: 8, empty: 16 }

function readGeometry(cursor: Cursor, into: PackedGeometry): void {
  const type = readByte(cursor) & 15
  const found = readByte(cursor)
  // Our queries do not request any of these.
  if (found & (flags.bbox | flags.size | flags.ids | flags.extended))
    throw new Error('unexpected TWKB metadata')
  if (found & flags.empty) return
  if (type === wkbTypes.geometryCollection) {
    for (let left = readCount(cursor); left > 0; left -= 1) readGeometry(cursor, into)
    return
  }
  // TWKB uses the type numbers of WKB.
  const kind = partsOfWkbType(type)
  if (kind === undefined) throw new Error(`unexpected TWKB type ${type}`)
  cursor.x = 0
  cursor.y = 0
  const { length, count } = into
  for (let left = kind.isMulti ? readCount(cursor) : 1; left > 0; left -= 1)
    readPart(cursor, kind.family, into)
  if (kind.family === into.family) return
  into.length = length
  into.count = count
}

function readPart(cursor: Cursor, family: GeometryFamily, into: PackedGeometry): void {
  const sequences = family === 'POLYGON' ? readCount(cursor) : 1
  for (let at = 0; at < sequences; at += 1) {
    readPositions(cursor, family === 'POINT' ? 1 : readCount(cursor), into)
    into.endSequence(at === 0)
  }
}

function readPositions(cursor: Cursor, count: number, into: PackedGeometry): void {
  into.reserve(2 * count)
  const { coordinates } = into
  const { bytes } = cursor
  const end = into.length + 2 * count
  let next = cursor.at
  // Of the axis that is read next, and of the other one.
  let value = cursor.x
  let other = cursor.y
  for (let at = into.length; at < end; at += 1) {
    // Zigzag-encoded: most differences have one or two bytes.
    const low = bytes[next] ?? 0
    const high = low < 128 ? 0 : (bytes[next + 1] ?? 0)
    if (high < 128) {
      const encoded = (low & 127) | (high << 7)
      value += (encoded >>> 1) ^ -(encoded & 1)
      next += low < 128 ? 1 : 2
    } else {
      cursor.at = next
      const encoded = readCount(cursor)
      value += encoded % 2 === 0 ? encoded / 2 : -(encoded + 1) / 2
      next = cursor.at
    }
    coordinates[at] = value
    const swapped = other
    other = value
    value = swapped
  }
  cursor.at = next
  cursor.x = value
  cursor.y = other
  into.length = end
}

/** Reads an unsigned number, up to 2^53. */
function readCount(cursor: Cursor): number {
  const { bytes } = cursor
  let [value, factor, byte] = [0, 1, 128]
  while (byte >= 128) {
    byte = bytes[cursor.at] ?? 0
    cursor.at += 1
    value += (byte & 127) * factor
    factor *= 128
  }
  return value
}

function readByte(cursor: Cursor): number {
  cursor.at += 1
  return cursor.bytes[cursor.at - 1] ?? 0
}
