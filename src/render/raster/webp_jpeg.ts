import sharp from 'sharp'
import type { ImageFormat } from '../../contract/formats/image_format.ts'
import { straightBytes } from './png.ts'
import type { Surface } from './surface.ts'

/** Size and format of an image. */
export interface ImageTarget {
  readonly width: number
  readonly height: number
  readonly format: Exclude<ImageFormat, 'png'>
}

/** Colours are not subsampled: that blurs thin lines. */
const jpegOptions = { quality: 90, chromaSubsampling: '4:4:4' } as const

/** Lossless, as PNG is; more effort takes several times as long for little less. */
const webpOptions = { lossless: true, effort: 1 } as const

/** Encodes an image that is drawn in strips, from the top: as lossless WebP, or as JPEG on white. */
export async function encodeWebpOrJpeg(
  { width, height, format }: ImageTarget,
  strips: Iterable<Surface>,
): Promise<Buffer> {
  const channels = format === 'jpeg' ? 3 : 4
  const pixels = new Uint8Array(channels * width * height)
  let end = 0
  for (const strip of strips) {
    const bytes = format === 'jpeg' ? bytesOnWhite(strip) : straightBytes(strip, 4)
    pixels.set(bytes, end)
    end += bytes.length
  }
  const image = sharp(pixels, { raw: { width, height, channels } })
  return format === 'jpeg' ? image.jpeg(jpegOptions).toBuffer() : image.webp(webpOptions).toBuffer()
}

/** Returns the pixels over white as RGB. */
function bytesOnWhite({ words }: Surface): Uint8Array {
  const bytes = new Uint8Array(3 * words.length)
  for (let at = 0, to = 0; at < words.length; at += 1, to += 3) {
    const word = words[at] ?? 0
    const white = 255 - (word >>> 24)
    bytes[to] = (word & 255) + white
    bytes[to + 1] = ((word >>> 8) & 255) + white
    bytes[to + 2] = ((word >>> 16) & 255) + white
  }
  return bytes
}
