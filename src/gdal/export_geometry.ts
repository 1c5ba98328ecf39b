import type { Bytes } from '../core/bytes.ts'
import type { CopyValue } from '../core/copy_rows.ts'
import type { GrowingBytes } from '../core/growing_bytes.ts'
import { flatTypes } from './flatgeobuf.ts'

/** The box around something: lowest x and y, highest x and y. */
export type Bounds = Float64Array

/** The box around nothing, which grows. */
export function noBounds(): Bounds {
  return Float64Array.of(Infinity, Infinity, -Infinity, -Infinity)
}

/** Makes a box hold another one as well. */
export function growBounds(bounds: Bounds, other: Bounds): void {
  const [west = 0, south = 0, east = 0, north = 0] = other
  if (west < (bounds[0] ?? 0)) bounds[0] = west
  if (south < (bounds[1] ?? 0)) bounds[1] = south
  if (east > (bounds[2] ?? 0)) bounds[2] = east
  if (north > (bounds[3] ?? 0)) bounds[3] = north
}

/** The box around some of the boxes that stand in a list, four numbers each. */
export function boundsAround(
  boxes: Float64Array,
  [start, end]: readonly [start: number, end: number],
): Bounds {
  const around = noBounds()
  for (let at = 4 * start; at < 4 * end; at += 4) growBounds(around, boxes.subarray(at, at + 4))
  return around
}

/** Geometry as PostGIS gives it, little-endian, while it is read. */
interface Ewkb extends Bytes {
  at: number
}

const zFlag = 0x8000_0000
const sridFlag = 0x2000_0000
const polygonType = 3
const multiPolygonType = 6

/** Bytes that a geometry takes beside its coordinates, at most, for each byte of EWKB. */
const roomPerByte = 12

/**
 * Writes a geometry of EWKB as a table of FlatGeobuf, and lets the offset at `place` point to it.
 *
 * @param start where the buffer starts that positions are aligned in
 * @param bounds grow by the geometry
 * @returns whether there was anything to write: an empty geometry is none
 * @see https://github.com/flatgeobuf/flatgeobuf feature.fbs
 */
export function writeGeometry(
  sink: GrowingBytes,
  { bytes, view, at, length }: Bytes & CopyValue,
  place: Place,
): boolean {
  sink.reserve(roomPerByte * length + 256)
  const before = sink.at
  const isWritten = writeShape(sink, { bytes, view, at }, place)
  if (!isWritten) sink.at = before
  return isWritten
}

interface Place {
  readonly place: number
  readonly start: number
  readonly bounds?: Bounds | undefined
}

function writeShape(sink: GrowingBytes, source: Ewkb, place: Place): boolean {
  const { type, hasZ } = readHead(source)
  if (type === multiPolygonType) return writeParts(sink, source, place)
  const shape = readShape(source, type, hasZ)
  if (shape.count === 0) return false
  const table = writeTable(sink, type, place)
  if (type === polygonType || type === flatTypes.multiLineString) {
    sink.pointHere(table.ends)
    sink.u32(shape.ends.length)
    for (const end of shape.ends) sink.u32(end)
  }
  writePositions(sink, shape, { ...place, table })
  return true
}

function readHead(source: Ewkb): { type: number; hasZ: boolean } {
  const word = source.view.getUint32(source.at + 1, true)
  source.at += (word & sridFlag) === 0 ? 5 : 9
  return { type: word & 0xff, hasZ: (word & zFlag) !== 0 }
}

interface Shape {
  /** Where runs of positions stand in the source: start and count. */
  readonly runs: readonly (readonly [at: number, count: number])[]
  readonly ends: readonly number[]
  readonly count: number
  readonly source: Bytes
  readonly hasZ: boolean
}

function readShape(source: Ewkb, type: number, hasZ: boolean): Shape {
  const runs: (readonly [number, number])[] = []
  const ends: number[] = []
  let count = 0
  const add = (length: number) => {
    runs.push([source.at, length])
    count += length
    ends.push(count)
    source.at += length * (hasZ ? 24 : 16)
  }
  const addCounted = () => add(readCount(source))
  if (type === flatTypes.point) {
    if (!Number.isNaN(source.view.getFloat64(source.at, true))) add(1)
  } else if (type === flatTypes.lineString) addCounted()
  else
    for (let left = readCount(source); left > 0; left -= 1) {
      if (type !== polygonType) readHead(source)
      if (type === flatTypes.multiPoint) add(1)
      else addCounted()
    }
  return { runs, ends, count, source, hasZ }
}

function readCount(source: Ewkb): number {
  source.at += 4
  return source.view.getUint32(source.at - 4, true)
}

interface TablePlaces {
  readonly ends: number
  readonly xy: number
  readonly z: number
  readonly parts: number
  /** Takes the fields that are not there out of the table. */
  readonly vtable: number
}

/** Places of the fields of a geometry in its table, by number: ends, xy, z, m, t, tm, type, parts. */
const fieldPlaces = [4, 8, 12, 0, 0, 0, 20, 16] as const
const tableBytes = 24

// All of its fields stand in it; those that come to nothing are taken out by `leaveOut`.
function writeTable(sink: GrowingBytes, type: number, { place, start }: Place): TablePlaces {
  sink.alignHalf(start)
  const vtable = sink.at
  sink.u16(4 + 2 * fieldPlaces.length)
  sink.u16(tableBytes)
  for (const one of fieldPlaces) sink.u16(one)
  const table = sink.at
  sink.pointHere(place)
  sink.u32(table - vtable)
  for (let left = 4; left > 0; left -= 1) sink.u32(0)
  sink.u32(type)
  const isLined = type === polygonType || type === flatTypes.multiLineString
  const places = { ends: table + 4, xy: table + 8, z: table + 12, parts: table + 16, vtable }
  if (!isLined) leaveOut(sink, places, 0)
  leaveOut(sink, places, type === multiPolygonType ? 1 : 7)
  if (type === multiPolygonType) leaveOut(sink, places, 2)
  return places
}

function leaveOut(sink: GrowingBytes, { vtable }: TablePlaces, field: number): void {
  sink.view.setUint16(vtable + 4 + 2 * field, 0, true)
}

function writePositions(
  sink: GrowingBytes,
  { runs, count, source, hasZ }: Shape,
  { table, start, bounds }: Place & { readonly table: TablePlaces },
): void {
  startVector(sink, { place: table.xy, start, count: 2 * count })
  const first = sink.at
  const step = hasZ ? 24 : 16
  for (const [at, length] of runs) {
    if (!hasZ) sink.take(source, at, at + 16 * length)
    else for (let nth = 0; nth < length; nth += 1) sink.take(source, at + step * nth, at + step * nth + 16)
  }
  if (bounds !== undefined) growByPositions(bounds, sink, first)
  if (hasZ) writeHeights(sink, { runs, source }, { place: table.z, start, count })
  else leaveOut(sink, table, 2)
}

function growByPositions(bounds: Bounds, { view, at: end }: GrowingBytes, first: number): void {
  let [west = 0, south = 0, east = 0, north = 0] = bounds
  for (let at = first; at < end; at += 16) {
    const x = view.getFloat64(at, true)
    const y = view.getFloat64(at + 8, true)
    if (x < west) west = x
    if (x > east) east = x
    if (y < south) south = y
    if (y > north) north = y
  }
  bounds.set([west, south, east, north])
}

function writeHeights(
  sink: GrowingBytes,
  { runs, source }: Pick<Shape, 'runs' | 'source'>,
  vector: Place & { count: number },
): void {
  startVector(sink, vector)
  for (const [at, length] of runs)
    for (let nth = 0; nth < length; nth += 1) sink.take(source, at + 24 * nth + 16, at + 24 * (nth + 1))
}

function startVector(sink: GrowingBytes, { place, start, count }: Place & { count: number }): void {
  sink.align(start, 4)
  sink.pointHere(place)
  sink.u32(count)
}

function writeParts(sink: GrowingBytes, source: Ewkb, place: Place): boolean {
  const count = readCount(source)
  if (count === 0) return false
  const { parts } = writeTable(sink, multiPolygonType, place)
  sink.pointHere(parts)
  const vector = sink.at
  sink.u32(count)
  const first = sink.at
  for (let nth = 0; nth < count; nth += 1) sink.u32(0)
  let written = 0
  for (let nth = 0; nth < count; nth += 1)
    if (writeShape(sink, source, { ...place, place: first + 4 * written })) written += 1
  sink.view.setUint32(vector, written, true)
  return written > 0
}
