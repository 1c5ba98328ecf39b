import PQueue from 'p-queue'
import type { Sharp } from 'sharp'

/** A small picture of a picture. */
export interface Preview {
  readonly bytes: Uint8Array
  readonly mediaType: PreviewType
}

/** Media type of a preview: transparent pictures stay transparent. */
export type PreviewType = 'image/jpeg' | 'image/png'

/** Most pixels of a picture that is read, and most seconds that it may take. */
const limits = { pixels: 100_000_000, seconds: 20 }

/** Width and height, in pixels, that a preview fits into. */
export interface PreviewSize {
  readonly width: number
  readonly height: number
}

/** Size of the previews that are kept. */
export const keptSize: PreviewSize = { width: 2048, height: 2048 }

/** The only readers of pictures that are let loose on what users send. */
const readers = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].flatMap((name) => [
  `VipsForeignLoad${name}File`,
  `VipsForeignLoad${name}Buffer`,
])

// One at a time: a large picture takes a lot of memory, and each is drawn by several threads anyway. Small ones, which
// somebody waits for, do not queue behind it.
const queues = { large: new PQueue({ concurrency: 1 }), small: new PQueue({ concurrency: 2 }) }

type Library = typeof import('sharp').default
let loading: Promise<Library> | undefined

function load(): Promise<Library> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: readers })
    return sharp
  })
  return loading
}

/**
 * Makes a preview of a picture in a file: upright, in proportion, without metadata, never enlarged.
 * Undefined for what is no picture, and for one that is broken or too large.
 *
 * @throws where the library of pictures does not run on this machine
 */
export async function makePreview(path: string): Promise<Preview | undefined> {
  const sharp = await load()
  return queues.large.add(() => draw(sharp, path, keptSize).catch(() => undefined))
}

/** Makes a smaller preview of a preview. */
export async function shrinkPreview(preview: Uint8Array, size: PreviewSize): Promise<Preview> {
  const sharp = await load()
  return queues.small.add(() => draw(sharp, preview, size))
}

async function draw(sharp: Library, source: string | Uint8Array, size: PreviewSize): Promise<Preview> {
  const picture = sharp(source, { limitInputPixels: limits.pixels, failOn: 'error', sequentialRead: true })
  const { hasAlpha } = await picture.metadata()
  const small = picture
    .autoOrient()
    .resize({ ...size, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .timeout({ seconds: limits.seconds })
  return hasAlpha ? encode(small.png(), 'image/png') : encode(small.jpeg({ quality: 82 }), 'image/jpeg')
}

async function encode(picture: Sharp, mediaType: PreviewType): Promise<Preview> {
  return { bytes: await picture.toBuffer(), mediaType }
}
