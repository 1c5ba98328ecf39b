import { buffer } from 'node:stream/consumers'
import { crc32, createDeflate, deflateSync } from 'node:zlib'
import { giveBytes, takeBytes } from './scratch.ts'
import type { Surface } from './surface.ts'

/** Compression of PNG images: fast, since they are drawn for one request. */
const zlibOptions = { level: 1, memLevel: 8, chunkSize: 2 ** 16 } as const

/**
 * Encodes a surface as PNG: with a palette if it has at most 256 colours, which is lossless; else as RGBA, or RGB if it is
 * opaque.
 *
 * @see https://www.w3.org/TR/png-3/
 */
export function encodePng(surface: Surface): Buffer<ArrayBuffer> {
  const palette = findPalette(surface)
  const { width, height } = surface
  if (palette !== undefined) return encodePalette(surface, palette)
  const channels = isOpaque(surface) ? 3 : 4
  return assemble([
    ['IHDR', header({ width, height, depth: 8, colorType: channels === 4 ? 6 : 2 })],
    ['IDAT', deflateRows(filterRows(surface, channels))],
    ['IEND', empty],
  ])
}

/** Compresses rows, and gives back their memory. */
function deflateRows(rows: Uint8Array<ArrayBuffer>): Buffer {
  const compressed = deflateSync(rows, zlibOptions)
  giveBytes(rows)
  return compressed
}

function isOpaque({ words }: Surface): boolean {
  for (let at = 0; at < words.length; at += 1) if ((words[at] ?? 0) >>> 24 !== 255) return false
  return true
}

/** Encodes an image that is drawn in strips, from the top, as RGBA. Never holds more than a strip and the encoded bytes. */
export async function encodePngStrips(
  { width, height }: Pick<Surface, 'width' | 'height'>,
  strips: Iterable<Surface>,
): Promise<Buffer<ArrayBuffer>> {
  const deflate = createDeflate(zlibOptions)
  const compressed = buffer(deflate)
  for (const strip of strips) {
    const rows = filterRows(strip, 4)
    await new Promise<void>((resolve, reject) => {
      deflate.write(rows, (error) => (error ? reject(error) : resolve()))
    })
    giveBytes(rows)
  }
  deflate.end()
  return assemble([
    ['IHDR', header({ width, height, depth: 8, colorType: 6 })],
    ['IDAT', await compressed],
    ['IEND', empty],
  ])
}

/** Colours of an image, as words, and the index of each. */
interface Palette {
  readonly colors: Int32Array
  /** Index of the colour of each pixel. */
  readonly indexes: Uint8Array<ArrayBuffer>
}

const maxColors = 256

/** Slots of the hash table of colours: four times as many as colours, so that few of them collide. */
const slotBits = 10

/** Place in `known.colors` of the colour in each slot; -1 for none. */
const slots = new Int16Array(2 ** slotBits)

/** Colours of the image that is encoded. */
const known = { colors: new Int32Array(maxColors), count: 0 }

/** Lists the colours of a surface; undefined if they are too many. The list is only valid until the next one. */
function findPalette({ words }: Surface): Palette | undefined {
  const indexes = takeBytes(words.length)
  slots.fill(-1)
  known.count = 0
  let last = ~(words[0] ?? 0)
  let index = 0
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? 0
    if (word !== last) index = indexOfColor(word)
    if (index === maxColors) {
      giveBytes(indexes)
      return undefined
    }
    last = word
    indexes[at] = index
  }
  return { colors: known.colors.subarray(0, known.count), indexes }
}

/** Returns the index of a colour, and adds it if it is new and not too many are known. */
function indexOfColor(word: number): number {
  const { colors, count } = known
  let slot = Math.imul(word, 0x9e3779b1) >>> (32 - slotBits)
  let index = slots[slot] ?? -1
  while (index >= 0 && colors[index] !== word) {
    slot = (slot + 1) & (2 ** slotBits - 1)
    index = slots[slot] ?? -1
  }
  if (index >= 0 || count === maxColors) return index >= 0 ? index : maxColors
  slots[slot] = count
  colors[count] = word
  known.count = count + 1
  return count
}

function encodePalette({ width, height }: Surface, { colors, indexes }: Palette): Buffer<ArrayBuffer> {
  const depth = colors.length <= 2 ? 1 : colors.length <= 4 ? 2 : colors.length <= 16 ? 4 : 8
  const [red, alpha] = [Buffer.alloc(3 * colors.length), Buffer.alloc(colors.length)]
  for (const [at, word] of colors.entries()) {
    for (let channel = 0; channel < 3; channel += 1) red[3 * at + channel] = straighten(word, channel)
    alpha[at] = word >>> 24
  }
  const hasAlpha = alpha.some((value) => value !== 255)
  const rows = packRows(indexes, { width, height, depth })
  giveBytes(indexes)
  return assemble([
    ['IHDR', header({ width, height, depth, colorType: 3 })],
    ['PLTE', red],
    ...(hasAlpha ? [['tRNS', alpha] as const] : []),
    ['IDAT', deflateRows(rows)],
    ['IEND', empty],
  ])
}

/** Packs indexes into rows of bits, each after a byte for the filter. */
function packRows(
  indexes: Uint8Array,
  { width, height, depth }: { readonly width: number; readonly height: number; readonly depth: number },
): Uint8Array<ArrayBuffer> {
  const rowBytes = Math.ceil((width * depth) / 8) + 1
  const packed = takeBytes(rowBytes * height)
  for (let row = 0; row < height; row += 1) {
    const from = row * width
    const to = row * rowBytes + 1
    if (depth === 8) packed.set(indexes.subarray(from, from + width), to)
    else packRow(indexes.subarray(from, from + width), packed.subarray(to, to + rowBytes - 1), depth)
  }
  return packed
}

function packRow(indexes: Uint8Array, packed: Uint8Array, depth: number): void {
  const perByte = 8 / depth
  for (let byte = 0, at = 0; byte < packed.length; byte += 1) {
    let bits = 0
    for (let pixel = 0; pixel < perByte; pixel += 1, at += 1) bits = (bits << depth) | (indexes[at] ?? 0)
    packed[byte] = bits
  }
}

/** Returns a channel of a premultiplied colour, not premultiplied. */
function straighten(word: number, channel: number): number {
  const alpha = word >>> 24
  const value = (word >>> (8 * channel)) & 255
  if (alpha === 255) return value
  return alpha === 0 ? 0 : Math.min(255, Math.round((value * 255) / alpha))
}

/** Returns the pixels as RGB or RGBA, not premultiplied. */
export function straightBytes({ words }: Surface, channels: 3 | 4): Uint8Array {
  const bytes = new Uint8Array(channels * words.length)
  for (let at = 0, to = 0; at < words.length; at += 1, to += channels) {
    const word = words[at] ?? 0
    bytes[to] = straighten(word, 0)
    bytes[to + 1] = straighten(word, 1)
    bytes[to + 2] = straighten(word, 2)
    if (channels === 4) bytes[to + 3] = word >>> 24
  }
  return bytes
}

/** Filters of a row: none, or the differences from the row above. */
const filters = { none: 0, up: 2 } as const

/**
 * Returns the rows as RGB or RGBA, not premultiplied, each with its filter. Areas of one colour compress best as they are,
 * photographs as differences.
 */
function filterRows(surface: Surface, channels: 3 | 4): Uint8Array<ArrayBuffer> {
  const rows = takeBytes((channels * surface.width + 1) * surface.height)
  if (hasAreas(surface)) writePlain(rows, surface, channels)
  else writeDifferences(rows, surface, channels)
  return rows
}

/** Reports whether most pixels have the colour of their left neighbour. */
function hasAreas({ words }: Surface): boolean {
  let same = 0
  for (let at = 1; at < words.length; at += 1) if (words[at] === words[at - 1]) same += 1
  return 2 * same >= words.length
}

function writePlain(rows: Uint8Array, { words, width, height }: Surface, channels: 3 | 4): void {
  let last = 0
  let red = 0
  let green = 0
  let blue = 0
  let to = 0
  for (let row = 0, at = 0; row < height; row += 1) {
    rows[to] = filters.none
    to += 1
    for (let column = 0; column < width; column += 1, at += 1, to += channels) {
      const word = words[at] ?? 0
      if (word !== last) {
        last = word
        red = straighten(word, 0)
        green = straighten(word, 1)
        blue = straighten(word, 2)
      }
      rows[to] = red
      rows[to + 1] = green
      rows[to + 2] = blue
      if (channels === 4) rows[to + 3] = word >>> 24
    }
  }
}

function writeDifferences(rows: Uint8Array, { words, width, height }: Surface, channels: 3 | 4): void {
  const above = takeBytes(channels * width)
  let to = 0
  for (let row = 0; row < height; row += 1) {
    rows[to] = row === 0 ? filters.none : filters.up
    to += 1
    for (let column = 0, at = row * width; column < width; column += 1, at += 1, to += channels) {
      const word = words[at] ?? 0
      // Many pixels are like those above them, with differences of 0.
      if (row > 0 && word === words[at - width]) continue
      for (let channel = 0; channel < channels; channel += 1) {
        const value = channel === 3 ? word >>> 24 : straighten(word, channel)
        const place = column * channels + channel
        rows[to + channel] = value - (above[place] ?? 0)
        above[place] = value
      }
    }
  }
  giveBytes(above)
}

interface Header {
  readonly width: number
  readonly height: number
  /** Bits of a channel or index. */
  readonly depth: number
  readonly colorType: number
}

function header({ width, height, depth, colorType }: Header): Buffer {
  const bytes = Buffer.alloc(13)
  bytes.writeUInt32BE(width, 0)
  bytes.writeUInt32BE(height, 4)
  bytes[8] = depth
  bytes[9] = colorType
  return bytes
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const empty = new Uint8Array(0)

/** Returns a file of chunks, in memory of its own, which can be transferred to another thread. */
function assemble(chunks: readonly (readonly [type: string, content: Uint8Array])[]): Buffer<ArrayBuffer> {
  const length = chunks.reduce((sum, [, content]) => sum + content.length + 12, signature.length)
  const bytes = Buffer.from(new ArrayBuffer(length))
  bytes.set(signature)
  let at = signature.length
  for (const [type, content] of chunks) {
    bytes.writeUInt32BE(content.length, at)
    bytes.write(type, at + 4, 'latin1')
    bytes.set(content, at + 8)
    const end = at + 8 + content.length
    bytes.writeUInt32BE(crc32(bytes.subarray(at + 4, end)), end)
    at = end + 4
  }
  return bytes
}
