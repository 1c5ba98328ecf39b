import type { PbfWriter } from 'pbf'
import type { PackedGeometry } from '../../geo/packed_geometry.ts'

/** A tidy geometry to encode. */
export interface PlacedGeometry {
  readonly geometry: PackedGeometry
  /** Top left corner of the tile in the units of the geometry; 0, 0 if it is missing. */
  readonly corner?: readonly [x: number, y: number]
}

const commands = { moveTo: 1, lineTo: 2, closePath: 7 }

/** Maximum bytes of a number. */
const maxBytes = 5

/** Writes the commands of a geometry: command integers, and zigzag-encoded coordinate differences. */
export function writeCommands({ geometry, corner }: PlacedGeometry, writer: PbfWriter): void {
  const { family, coordinates, ends, length, count } = geometry
  // At most three commands per sequence.
  writer.realloc(maxBytes * (length + 3 * count))
  const pen: Pen = {
    coordinates,
    bytes: writer.buf,
    at: writer.pos,
    x: corner?.[0] ?? 0,
    y: corner?.[1] ?? 0,
  }
  if (family === 'POINT') {
    writeCommand(pen, commands.moveTo, count)
    draw(pen, 0, length)
  } else {
    for (let at = 0, start = 0; at < count; at += 1) {
      const end = ends[at] ?? 0
      writeCommand(pen, commands.moveTo, 1)
      draw(pen, start, start + 2)
      writeCommand(pen, commands.lineTo, (end - start) / 2 - 1)
      draw(pen, start + 2, end)
      if (family === 'POLYGON') writeCommand(pen, commands.closePath, 1)
      start = end
    }
  }
  writer.pos = pen.at
}

/** The last position, and where the next number is written. */
interface Pen {
  readonly coordinates: Float64Array
  readonly bytes: Uint8Array
  at: number
  x: number
  y: number
}

function writeCommand(pen: Pen, id: number, count: number): void {
  pen.at = writeNumber(pen.bytes, pen.at, ((id & 7) | (count << 3)) >>> 0)
}

/** Writes the differences from each position to the next, from a coordinate to another one. */
function draw(pen: Pen, start: number, end: number): void {
  const { coordinates, bytes } = pen
  let { at, x, y } = pen
  for (let next = start; next < end; next += 2) {
    const nextX = coordinates[next] ?? 0
    const nextY = coordinates[next + 1] ?? 0
    at = writeNumber(bytes, at, zigzag(nextX - x))
    at = writeNumber(bytes, at, zigzag(nextY - y))
    x = nextX
    y = nextY
  }
  pen.at = at
  pen.x = x
  pen.y = y
}

const zigzag = (value: number) => ((value << 1) ^ (value >> 31)) >>> 0

/** Writes an unsigned number of 32 bits, and returns where the next one is written. */
function writeNumber(bytes: Uint8Array, at: number, value: number): number {
  let [next, rest] = [at, value]
  while (rest > 127) {
    bytes[next] = (rest & 127) | 128
    next += 1
    rest >>>= 7
  }
  bytes[next] = rest
  return next + 1
}
