import { iconSizes } from '../contract/catalog.ts'
import { iconFormats } from '../contract/icon_format.ts'
import { loadSharp, queues } from './image_preview.ts'

/** Width and height of an icon in pixels. */
export interface IconSize {
  readonly width: number
  readonly height: number
}

/** Maximum time to read and resize an icon. */
const maxSeconds = 10

/** Pixels per inch at which a drawing has the size that it states. */
const drawingDensity = 72

/**
 * Creates an icon in exactly the given size: the image is scaled to cover it and cropped to its most detailed part.
 *
 * @returns PNG with transparency
 * @throws {Error} if the image is damaged
 */
export async function createIcon(image: Uint8Array, size: IconSize): Promise<Uint8Array> {
  const sharp = await loadSharp()
  return queues.small.add(async () => {
    const { width = 1, height = 1, format } = await sharp(image).metadata()
    const ratio = Math.max(size.width / width, size.height / height)
    // A drawing is rendered in its final size; an enlarged picture of it would be blurred.
    const density = format === 'svg' ? Math.min(Math.max(drawingDensity * ratio, 1), 10_000) : drawingDensity
    return sharp(image, { failOn: 'error', density })
      .resize({ ...size, fit: 'cover', position: 'entropy' })
      .toColourspace('srgb')
      .ensureAlpha()
      .timeout({ seconds: maxSeconds })
      .png()
      .toBuffer()
  })
}

/**
 * Checks the source of an icon by drawing it.
 *
 * @returns what is wrong with it, if anything
 */
export async function findIconFault(image: Uint8Array, maxPixels: number): Promise<string | undefined> {
  const sharp = await loadSharp()
  const found = await sharp(image)
    .metadata()
    .catch(() => undefined)
  if (found === undefined || !iconFormats.some((format) => format === found.format))
    return 'it is not a PNG, JPEG, GIF, WebP or SVG image'
  const pixels = (found.width ?? 0) * (found.height ?? 0)
  if (pixels > maxPixels) return `it has ${pixels} pixels; the limit is ${maxPixels}`
  const side = iconSizes.default
  const isDrawn = await createIcon(image, { width: side, height: side }).then(
    () => true,
    () => false,
  )
  return isDrawn ? undefined : 'the image is damaged'
}
