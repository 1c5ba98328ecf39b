import { readSync } from 'node:fs'

/** An image of a TIFF file: the raster itself, an overview, or a mask. */
export interface TiffImage {
  readonly width: number
  readonly height: number
  /** Size of its tiles in pixels. */
  readonly tileWidth: number
  readonly tileHeight: number
  /** Number of values of a pixel, and the bits and format of a value. */
  readonly samples: number
  readonly bits: number
  readonly format: 'unsigned' | 'signed' | 'float'
  /** 1 for none, 2 for differences of integers, 3 for differences of floating-point numbers. */
  readonly predictor: number
  /** Whether it is a mask of another image. */
  readonly isMask: boolean
  /** Position and length of each tile in the file, in rows from the top; the length of an empty tile is 0. */
  readonly offsets: readonly number[]
  readonly lengths: readonly number[]
}

/** A TIFF file that the renderer does not read: not one that the server has stored. */
export class TiffFault extends Error {}

const tags = {
  subfile: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  samples: 277,
  layout: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  offsets: 324,
  lengths: 325,
  format: 339,
} as const

/** Adobe DEFLATE. @see Adobe Photoshop TIFF Technical Notes, 2002 */
const deflate = 8

const formats = { 1: 'unsigned', 2: 'signed', 3: 'float' } as const

/** Maximum number of overviews and masks of a file, and of tiles of an image. */
const limits = { images: 100, tiles: 2 ** 24 }

/**
 * Reads the images of a GeoTIFF in the form of stored rasters: little-endian, tiles, DEFLATE, values of a pixel side by side.
 *
 * @throws {TiffFault}
 * @see TIFF 6.0, BigTIFF
 */
export function readTiffImages(file: number): TiffImage[] {
  const head = readAt(file, 0, 16)
  const isBig = head.readUInt16LE(2) === 43
  if (head.toString('latin1', 0, 2) !== 'II' || !(isBig || head.readUInt16LE(2) === 42))
    throw new TiffFault('not a little-endian TIFF')
  const form = isBig ? bigForm : plainForm
  const images: TiffImage[] = []
  let start = form.word(head, form.startAt)
  while (start !== 0) {
    if (images.length >= limits.images) throw new TiffFault('too many images')
    const count = form.count(readAt(file, start, form.countSize))
    const entries = readAt(file, start + form.countSize, count * form.entrySize + form.wordSize)
    images.push(imageOf(readEntries(file, entries, { form, count })))
    start = form.word(entries, count * form.entrySize)
  }
  return images
}

type Values = ReadonlyMap<number, readonly number[]>

function imageOf(values: Values): TiffImage {
  const one = (tag: number, fallback?: number): number => {
    const value = values.get(tag)?.[0] ?? fallback
    if (value === undefined) throw new TiffFault(`no tag ${tag}`)
    return value
  }
  if (one(tags.compression) !== deflate) throw new TiffFault(`compression ${one(tags.compression)}`)
  if (one(tags.layout, 1) !== 1) throw new TiffFault('values are stored band by band')
  const format = formats[one(tags.format, 1) as 1 | 2 | 3]
  if (format === undefined) throw new TiffFault(`sample format ${one(tags.format)}`)
  const image = {
    width: one(tags.width),
    height: one(tags.height),
    tileWidth: one(tags.tileWidth),
    tileHeight: one(tags.tileHeight),
    samples: one(tags.samples, 1),
    bits: one(tags.bits, 1),
    format,
    predictor: one(tags.predictor, 1),
    isMask: (one(tags.subfile, 0) & 4) !== 0,
    offsets: values.get(tags.offsets) ?? [],
    lengths: values.get(tags.lengths) ?? [],
  }
  const count = Math.ceil(image.width / image.tileWidth) * Math.ceil(image.height / image.tileHeight)
  if (image.offsets.length !== count || image.lengths.length !== count)
    throw new TiffFault(`${image.offsets.length} tiles instead of ${count}`)
  return image
}

/** How numbers are stored: as TIFF or BigTIFF. */
interface TiffForm {
  readonly startAt: number
  readonly wordSize: number
  readonly countSize: number
  readonly entrySize: number
  readonly count: (bytes: Buffer) => number
  readonly word: (bytes: Buffer, at: number) => number
}

const plainForm: TiffForm = {
  ...{ startAt: 4, wordSize: 4, countSize: 2, entrySize: 12 },
  count: (bytes) => bytes.readUInt16LE(0),
  word: (bytes, at) => bytes.readUInt32LE(at),
}
const bigForm: TiffForm = {
  ...{ startAt: 8, wordSize: 8, countSize: 8, entrySize: 20 },
  count: (bytes) => Number(bytes.readBigUInt64LE(0)),
  word: (bytes, at) => Number(bytes.readBigUInt64LE(at)),
}

/** Reads a number by the type of its tag; types that no tag of interest has are left out. */
const readers: Readonly<Record<number, { size: number; read: (bytes: Buffer, at: number) => number }>> = {
  1: { size: 1, read: (bytes, at) => bytes.readUInt8(at) },
  3: { size: 2, read: (bytes, at) => bytes.readUInt16LE(at) },
  4: { size: 4, read: (bytes, at) => bytes.readUInt32LE(at) },
  16: { size: 8, read: (bytes, at) => Number(bytes.readBigUInt64LE(at)) },
}

const wanted = new Set<number>(Object.values(tags))

function readEntries(
  file: number,
  entries: Buffer,
  { form, count }: { readonly form: TiffForm; readonly count: number },
): Values {
  const values = new Map<number, readonly number[]>()
  for (let at = 0; at < count * form.entrySize; at += form.entrySize) {
    const tag = entries.readUInt16LE(at)
    const reader = readers[entries.readUInt16LE(at + 2)]
    if (!wanted.has(tag) || reader === undefined) continue
    const length = form.word(entries, at + 4)
    if (length > limits.tiles) throw new TiffFault(`${length} values of tag ${tag}`)
    const place = at + 4 + form.wordSize
    const isInside = length * reader.size <= form.wordSize
    const bytes = isInside
      ? entries.subarray(place, place + form.wordSize)
      : readAt(file, form.word(entries, place), length * reader.size)
    values.set(
      tag,
      Array.from({ length }, (_, index) => reader.read(bytes, index * reader.size)),
    )
  }
  return values
}

/**
 * Reads bytes at a position of a file.
 *
 * @throws {TiffFault} if the file is shorter
 */
export function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(file, bytes, filled, length - filled, position + filled)
    if (count === 0) throw new TiffFault('the file is truncated')
    filled += count
  }
  return bytes
}
