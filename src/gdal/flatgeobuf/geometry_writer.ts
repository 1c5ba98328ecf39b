import type { GrowingBytes } from '../../core/growing_bytes.ts'
import { extendBbox, type MutableBbox } from '../../geo/bbox.ts'
import type { ByteGeometry, ByteSequence } from '../../geo/byte_geometry.ts'
import type { Part } from '../../geo/geometry.ts'
import { wkbTypeOf } from '../../geo/wkb.ts'

/** Destination of a geometry. */
export interface GeometryTarget {
  /** Position of the offset that points to the geometry. */
  readonly place: number
  /** Start of the buffer that alignment refers to. */
  readonly start: number
  /** Extended by the geometry. */
  readonly bounds?: MutableBbox | undefined
}

/**
 * Writes a geometry as a FlatGeobuf table. Its rings must be closed.
 *
 * @returns false for an empty geometry, which is not written
 * @see https://github.com/flatgeobuf/flatgeobuf feature.fbs
 */
export function writeFlatGeometry(
  sink: GrowingBytes,
  geometry: ByteGeometry,
  place: GeometryTarget,
): boolean {
  const { family, isMulti, hasZ, parts } = geometry
  if (parts.length === 0) return false
  const type = wkbTypeOf(geometry)
  if (family === 'POLYGON') {
    if (isMulti) writePolygons(sink, geometry, place)
    else writeTable(sink, { type, hasZ, sequences: parts[0] ?? [], hasEnds: true }, place)
    return true
  }
  const sequences = parts.flat()
  writeTable(sink, { type, hasZ, sequences, hasEnds: isMulti && family === 'LINESTRING' }, place)
  return true
}

interface TableContent {
  readonly type: number
  readonly hasZ: boolean
  readonly sequences: Part<ByteSequence>
  /** Whether the table has the ends of the sequences. */
  readonly hasEnds: boolean
}

function writeTable(sink: GrowingBytes, content: TableContent, place: GeometryTarget): void {
  const { type, hasZ, sequences, hasEnds } = content
  let count = 0
  for (const sequence of sequences) count += sequence.count
  sink.reserve(maxTableBytes + 4 * sequences.length + (hasZ ? 24 : 16) * count)
  const table = startTable(sink, { type, fields: { ends: hasEnds, z: hasZ, parts: false } }, place)
  if (hasEnds) writeEnds(sink, sequences, table.ends)
  writePositions(sink, { sequences, count }, { ...place, place: table.xy })
  if (hasZ) writeHeights(sink, { sequences, count }, { ...place, place: table.z })
}

/** Maximum size of a table and of the lengths of its vectors. */
const maxTableBytes = 128

interface FieldPositions {
  readonly ends: number
  readonly xy: number
  readonly z: number
  readonly parts: number
}

interface TableFields {
  readonly type: number
  /** Optional fields that the table has. */
  readonly fields: { readonly ends: boolean; readonly z: boolean; readonly parts: boolean }
}

const fieldCount = 8
const tableBytes = 24

/** Starts a table with the fields ends, xy, z, m, t, tm, type and parts, in the order of their numbers. */
function startTable(
  sink: GrowingBytes,
  { type, fields }: TableFields,
  { place, start }: GeometryTarget,
): FieldPositions {
  sink.alignHalf(start)
  const vtable = sink.at
  sink.u16(4 + 2 * fieldCount)
  sink.u16(tableBytes)
  sink.u16(fields.ends ? 4 : 0)
  sink.u16(fields.parts ? 0 : 8)
  sink.u16(fields.z ? 12 : 0)
  for (let absent = 3; absent > 0; absent -= 1) sink.u16(0)
  sink.u16(20)
  sink.u16(fields.parts ? 16 : 0)
  const table = sink.at
  sink.pointHere(place)
  sink.u32(table - vtable)
  for (let left = 4; left > 0; left -= 1) sink.u32(0)
  sink.u32(type)
  return { ends: table + 4, xy: table + 8, z: table + 12, parts: table + 16 }
}

function writeEnds(sink: GrowingBytes, sequences: Part<ByteSequence>, place: number): void {
  sink.pointHere(place)
  sink.u32(sequences.length)
  let end = 0
  for (const { count } of sequences) {
    end += count
    sink.u32(end)
  }
}

interface Positions {
  readonly sequences: Part<ByteSequence>
  readonly count: number
}

function writePositions(
  sink: GrowingBytes,
  { sequences, count }: Positions,
  { place, start, bounds }: GeometryTarget,
): void {
  startVector(sink, { place, start, count: 2 * count })
  const first = sink.at
  for (const { data, at, step, count: own } of sequences) {
    if (step === 16) sink.take(data, at, at + 16 * own)
    else for (let nth = 0; nth < own; nth += 1) sink.take(data, at + step * nth, at + step * nth + 16)
  }
  if (bounds === undefined) return
  for (let at = first; at < sink.at; at += 16)
    extendBbox(bounds, sink.view.getFloat64(at, true), sink.view.getFloat64(at + 8, true))
}

function writeHeights(sink: GrowingBytes, { sequences, count }: Positions, place: GeometryTarget): void {
  startVector(sink, { ...place, count })
  for (const { data, zAt, zStep, count: own } of sequences)
    for (let nth = 0; nth < own; nth += 1) sink.take(data, zAt + zStep * nth, zAt + zStep * nth + 8)
}

function startVector(
  sink: GrowingBytes,
  { place, start, count }: Pick<GeometryTarget, 'place' | 'start'> & { readonly count: number },
): void {
  sink.align(start, 4)
  sink.pointHere(place)
  sink.u32(count)
}

/** Writes a table for each polygon, and a table that refers to them. */
function writePolygons(sink: GrowingBytes, geometry: ByteGeometry, place: GeometryTarget): void {
  const { hasZ, parts } = geometry
  sink.reserve(maxTableBytes + 4 * parts.length)
  const fields = { ends: false, z: false, parts: true }
  const table = startTable(sink, { type: wkbTypeOf(geometry), fields }, place)
  sink.pointHere(table.parts)
  sink.u32(parts.length)
  const first = sink.at
  for (let nth = 0; nth < parts.length; nth += 1) sink.u32(0)
  const type = wkbTypeOf({ family: 'POLYGON', isMulti: false })
  for (const [nth, sequences] of parts.entries())
    writeTable(sink, { type, hasZ, sequences, hasEnds: true }, { ...place, place: first + 4 * nth })
}
