import type { JobWindow } from './image/draw_job.ts'
import { loadSharp } from './image_preview.ts'

/** Maximum pixels of an image of another service, and maximum seconds to decode it. */
const limits = { pixels: 2 ** 24, seconds: 20 }

/** Bytes at the start of images, by format. */
const signatures: readonly (readonly [format: string, start: string])[] = [
  ['PNG', '\u0089PNG\r\n\u001a\n'],
  ['JPEG', '\u00ff\u00d8\u00ff'],
  ['WebP', 'RIFF'],
  ['GIF', 'GIF8'],
  ['TIFF', 'II*\0'],
  ['TIFF', 'MM\0*'],
]

/** Returns the format of an image by its content; undefined for anything else. */
export function findImageFormat(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  return signatures.find(([, signature]) => start.startsWith(signature))?.[0]
}

/** Size of an image in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/**
 * Decodes an image that another service has sent; undefined if it is damaged, too large or not an image.
 */
export async function decodeImage(bytes: Uint8Array): Promise<JobWindow | undefined> {
  if (findImageFormat(bytes) === undefined) return undefined
  const sharp = await loadSharp()
  try {
    const image = sharp(bytes, { limitInputPixels: limits.pixels, failOn: 'error' })
    const { data, info } = await image
      .toColourspace('srgb')
      .ensureAlpha()
      .raw({ depth: 'uchar' })
      .timeout({ seconds: limits.seconds })
      .toBuffer({ resolveWithObject: true })
    return { width: info.width, height: info.height, pixels: new Uint8Array(data) }
  } catch {
    return undefined
  }
}
