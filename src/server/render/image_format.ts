import { type ImageFormat, imageFormats, imageMediaTypes } from '../../contract/formats/image_format.ts'

/**
 * Chooses the format of an image: the requested one, else the first of PNG, WebP and JPEG that the client accepts, else PNG.
 * Browsers accept all images, and get PNG.
 *
 * @see RFC 9110 clause 12.5.1
 */
export function chooseFormat(requested: ImageFormat | undefined, accept: string | undefined): ImageFormat {
  if (requested !== undefined) return requested
  const ranges = (accept ?? '').split(',').filter((range) => !/;\s*q=0(\.0*)?\s*(;|$)/i.test(range))
  const types = new Set(ranges.map((range) => range.replace(/;.*/s, '').trim().toLowerCase()))
  if (types.has('image/*') || types.has('*/*')) return 'png'
  return imageFormats.find((format) => types.has(imageMediaTypes[format])) ?? 'png'
}
