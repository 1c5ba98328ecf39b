import type { GeometryFamily } from '../../contract/geometry.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { partsOfWkbType, wkbTypes } from '../../geo/wkb.ts'
import type { PixelGeometry } from '../draw/pixel_geometry.ts'

/** Conversion of units to pixels: `pixel = unit * scale + shift`, for each axis. */
export interface UnitTransform {
  /**
   * Box in pixels outside of which only the area and the visible parts of outlines matter: of successive positions beyond the
   * same side, only the first and the last are read.
   */
  readonly visible?: Bbox | undefined
  readonly scaleX: number
  readonly scaleY: number
  readonly shiftX: number
  readonly shiftY: number
}

/**
 * Parses Tiny WKB of integers (precision 0, no Z) into pixels. Ignores geometries of other families, because clipping a
 * polygon may leave lines and points.
 *
 * @see https://github.com/TWKB/Specification/blob/master/twkb.md
 */
export function parsePixelTwkb(
  bytes: Uint8Array,
  family: GeometryFamily,
  transform: UnitTransform,
): PixelGeometry {
  const parts: Float64Array[][] = []
  new TwkbReader(bytes, transform).readGeometry(family, parts)
  return { family, parts }
}

/** Sides of a box beyond which a position lies, as bits. */
function sidesBeyond([minX, minY, maxX, maxY]: Bbox, x: number, y: number): number {
  return (x < minX ? 1 : x > maxX ? 2 : 0) | (y < minY ? 4 : y > maxY ? 8 : 0)
}

/** Bits of the metadata that our queries do not request, and of empty geometries. */
const flags = { bbox: 1, size: 2, ids: 4, extended: 8, empty: 16 }

/** Positions of the sequence that is being read. */
const buffer = new Float64Array(2 ** 14)

class TwkbReader {
  readonly #bytes: Uint8Array
  readonly #transform: UnitTransform
  #at = 0
  /** The last position, in units. */
  readonly #last = new Float64Array(2)

  constructor(bytes: Uint8Array, transform: UnitTransform) {
    this.#bytes = bytes
    this.#transform = transform
  }

  readGeometry(family: GeometryFamily, into: Float64Array[][]): void {
    const type = this.#readByte() & 15
    const found = this.#readByte()
    if (found & (flags.bbox | flags.size | flags.ids | flags.extended))
      throw new Error('unexpected TWKB metadata')
    if (found & flags.empty) return
    if (type === wkbTypes.geometryCollection) {
      for (let left = this.#readVarint(); left > 0; left -= 1) this.readGeometry(family, into)
      return
    }
    const kind = partsOfWkbType(type)
    if (kind === undefined) throw new Error(`unexpected TWKB type ${type}`)
    this.#last.fill(0)
    for (let left = kind.isMulti ? this.#readVarint() : 1; left > 0; left -= 1) {
      const part = this.#readPart(kind.family)
      if (kind.family === family) into.push(part)
    }
  }

  #readPart(family: GeometryFamily): Float64Array[] {
    if (family === 'POINT') return [this.#readPositions(1)]
    if (family === 'LINESTRING') return [this.#readPositions(this.#readVarint())]
    const rings: Float64Array[] = []
    for (let left = this.#readVarint(); left > 0; left -= 1)
      rings.push(this.#readPositions(this.#readVarint()))
    return rings
  }

  #readPositions(count: number): Float64Array {
    // Each coordinate has at least a byte.
    if (2 * count > this.#bytes.length - this.#at) throw new Error('truncated TWKB')
    const { visible } = this.#transform
    return visible === undefined ? this.#readAll(count) : this.#readVisible(count, visible)
  }

  #readAll(count: number): Float64Array {
    const { scaleX, scaleY, shiftX, shiftY } = this.#transform
    const positions = new Float64Array(2 * count)
    this.#readUnits(positions)
    for (let at = 0; at < positions.length; at += 2) {
      positions[at] = (positions[at] ?? 0) * scaleX + shiftX
      positions[at + 1] = (positions[at + 1] ?? 0) * scaleY + shiftY
    }
    return positions
  }

  /** Reads positions, and replaces the last one by the next while both and the one before lie beyond the same side. */
  #readVisible(count: number, visible: Bbox): Float64Array {
    const { scaleX, scaleY, shiftX, shiftY } = this.#transform
    const size = 2 * count
    const positions = size > buffer.length ? new Float64Array(size) : buffer.subarray(0, size)
    this.#readUnits(positions)
    let end = 0
    let last = 0
    let beforeLast = 0
    for (let at = 0; at < size; at += 2) {
      const x = (positions[at] ?? 0) * scaleX + shiftX
      const y = (positions[at + 1] ?? 0) * scaleY + shiftY
      const sides = sidesBeyond(visible, x, y)
      if ((sides & last & beforeLast) !== 0) end -= 2
      else beforeLast = last
      last = sides
      positions[end] = x
      positions[end + 1] = y
      end += 2
    }
    return positions.slice(0, end)
  }

  /** Reads positions in units, each of which is the difference from the one before. */
  #readUnits(positions: Float64Array): void {
    const bytes = this.#bytes
    let x = this.#last[0] ?? 0
    let y = this.#last[1] ?? 0
    for (let at = 0; at < positions.length; at += 1) {
      const byte = bytes[this.#at] ?? 0
      let value = byte
      if (byte < 128) this.#at += 1
      else value = this.#readVarint()
      const difference = value % 2 === 0 ? value / 2 : -(value + 1) / 2
      if (at % 2 === 0) x += difference
      else y += difference
      positions[at] = at % 2 === 0 ? x : y
    }
    this.#last[0] = x
    this.#last[1] = y
  }

  #readVarint(): number {
    const bytes = this.#bytes
    let byte = bytes[this.#at] ?? 0
    this.#at += 1
    if (byte < 128) return byte
    let value = byte & 127
    let factor = 128
    do {
      if (this.#at >= bytes.length) throw new Error('truncated TWKB')
      byte = bytes[this.#at] ?? 0
      this.#at += 1
      value += (byte & 127) * factor
      factor *= 128
    } while (byte >= 128)
    return value
  }

  #readByte(): number {
    if (this.#at >= this.#bytes.length) throw new Error('truncated TWKB')
    this.#at += 1
    return this.#bytes[this.#at - 1] ?? 0
  }
}
