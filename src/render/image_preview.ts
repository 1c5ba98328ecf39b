import PQueue from 'p-queue'
import type { Sharp } from 'sharp'

/** A preview of an image. */
export interface Preview {
  readonly bytes: Uint8Array
  readonly mediaType: PreviewType
}

/** Media type of a preview: PNG for images with transparency. */
export type PreviewType = 'image/jpeg' | 'image/png'

/** Maximum pixels of an image, and maximum time to resize it. */
const limits = { pixels: 100_000_000, seconds: 20 }

/** Maximum width and height of a preview, in pixels. */
export interface PreviewSize {
  readonly width: number
  readonly height: number
}

/** Size of stored previews. */
export const storedSize: PreviewSize = { width: 2048, height: 2048 }

/** The only image decoders that are enabled for uploaded files. */
const decoders = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].flatMap((name) => [
  `VipsForeignLoad${name}File`,
  `VipsForeignLoad${name}Buffer`,
])

/** Decoder of drawings, for icons of the catalog, which are in memory; it loads nothing that they refer to. */
const drawingDecoder = 'VipsForeignLoadSvgBuffer'

/**
 * Queues of image work. Large images one at a time, because each takes a lot of memory and uses several threads. Small
 * ones have a queue of their own, so that requests for them do not wait for large ones.
 */
export const queues = { large: new PQueue({ concurrency: 1 }), small: new PQueue({ concurrency: 2 }) }

type Library = typeof import('sharp').default
let loading: Promise<Library> | undefined

/** Loads the image library, with only these decoders. */
export function loadSharp(): Promise<Library> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: [...decoders, drawingDecoder] })
    return sharp
  })
  return loading
}

/**
 * Creates a preview of an image file: upright, in proportion, without metadata, never enlarged.
 *
 * @returns undefined if the file is not an image, is damaged or too large
 * @throws {Error} if the image library does not run on this machine
 */
export async function createPreview(path: string): Promise<Preview | undefined> {
  const sharp = await loadSharp()
  return queues.large.add(() => resize(sharp, path, storedSize).catch(() => undefined))
}

/** Resizes a preview to a smaller one. */
export async function shrinkPreview(preview: Uint8Array, size: PreviewSize): Promise<Preview> {
  const sharp = await loadSharp()
  return queues.small.add(() => resize(sharp, preview, size))
}

async function resize(sharp: Library, source: string | Uint8Array, size: PreviewSize): Promise<Preview> {
  const image = sharp(source, { limitInputPixels: limits.pixels, failOn: 'error', sequentialRead: true })
  const { hasAlpha } = await image.metadata()
  const resized = image
    .autoOrient()
    .resize({ ...size, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds: limits.seconds })
  return hasAlpha ? encode(resized.png(), 'image/png') : encode(resized.jpeg({ quality: 82 }), 'image/jpeg')
}

async function encode(image: Sharp, mediaType: PreviewType): Promise<Preview> {
  return { bytes: await image.toBuffer(), mediaType }
}
