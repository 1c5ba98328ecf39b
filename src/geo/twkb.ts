import { PbfReader } from 'pbf'
import type { GeometryFamily } from '../contract/geometry.ts'
import type { Part } from './geometry.ts'
import type { TileGeometry } from './tile_geometry.ts'
import { partsOfWkbType, wkbTypes } from './wkb.ts'

/**
 * Parses Tiny WKB of integers (precision 0, no Z), as `ST_AsTWKB(geom, 0)` writes it for tile units. Ignores geometries
 * of other families, because clipping a polygon may leave lines and points along the edge.
 *
 * @see https://github.com/TWKB/Specification/blob/master/twkb.md
 */
export function parseTwkb(bytes: Uint8Array, family: GeometryFamily): TileGeometry {
  const parts: Part[] = []
  readGeometry(new PbfReader(bytes), family, parts)
  return { family, parts }
}

const flags = { bbox: 1, size: 2, ids: 4, extended: 8, empty: 16 }

function readGeometry(reader: PbfReader, family: GeometryFamily, into: Part[]): void {
  const type = readByte(reader) & 15
  const found = readByte(reader)
  // Our queries do not request any of these.
  if (found & (flags.bbox | flags.size | flags.ids | flags.extended))
    throw new Error('unexpected TWKB metadata')
  if (found & flags.empty) return
  if (type === wkbTypes.geometryCollection) {
    for (let left = reader.readVarint(); left > 0; left -= 1) readGeometry(reader, family, into)
    return
  }
  // TWKB uses the type numbers of WKB.
  const kind = partsOfWkbType(type)
  if (kind === undefined) throw new Error(`unexpected TWKB type ${type}`)
  const cursor: Cursor = { reader, x: 0, y: 0 }
  const count = kind.isMulti ? reader.readVarint() : 1
  for (let left = count; left > 0; left -= 1) {
    const part = readPart(cursor, kind.family)
    if (kind.family === family) into.push(part)
  }
}

/** Current position: coordinate differences continue across the parts of a geometry. */
interface Cursor {
  readonly reader: PbfReader
  x: number
  y: number
}

function readPart(cursor: Cursor, kind: GeometryFamily): Part {
  if (kind === 'POINT') return [readPositions(cursor, 1)]
  if (kind === 'LINESTRING') return [readPositions(cursor, cursor.reader.readVarint())]
  const rings: number[][] = []
  for (let left = cursor.reader.readVarint(); left > 0; left -= 1) {
    rings.push(readPositions(cursor, cursor.reader.readVarint()))
  }
  return rings
}

function readPositions(cursor: Cursor, count: number): number[] {
  const { reader } = cursor
  // Of its full size from the start: a list that grows is copied again and again.
  const flat = new Array<number>(2 * count)
  let { x, y } = cursor
  for (let at = 0; at < flat.length; at += 2) {
    x += readDifference(reader)
    y += readDifference(reader)
    flat[at] = x
    flat[at + 1] = y
  }
  cursor.x = x
  cursor.y = y
  return flat
}

/** Reads a coordinate difference, zigzag-encoded: most of them have one or two bytes. */
function readDifference(reader: PbfReader): number {
  const { buf, pos } = reader
  const low = buf[pos] ?? 0
  const high = low < 128 ? 0 : (buf[pos + 1] ?? 0)
  if (high >= 128) return reader.readSVarint()
  reader.pos = pos + (low < 128 ? 1 : 2)
  const value = (low & 127) | (high << 7)
  return (value >>> 1) ^ -(value & 1)
}

const readByte = (reader: PbfReader) => reader.buf[reader.pos++] ?? 0
