import { iconSizes } from '../contract/catalog/catalog.ts'
import { iconFormats } from '../contract/formats/icon_format.ts'
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

/** Result of drawing the source of an icon: a picture for all sizes, or what is wrong with the source. */
export type DrawnIcon = { readonly drawn: Uint8Array } | { readonly fault: string }

/**
 * Draws the source of an icon once, large enough for every size: its shorter side has the pixels of the largest icon, or
 * those of the source if it is a smaller picture.
 */
export async function drawIcon(image: Uint8Array, maxPixels: number): Promise<DrawnIcon> {
  const sharp = await loadSharp()
  const found = await sharp(image)
    .metadata()
    .catch(() => undefined)
  if (found === undefined || !iconFormats.some((format) => format === found.format))
    return { fault: 'it is not a PNG, JPEG, GIF, WebP or SVG image' }
  const { width = 1, height = 1, format } = found
  const pixels = width * height
  if (pixels > maxPixels) return { fault: `it has ${pixels} pixels; the limit is ${maxPixels}` }
  try {
    return { drawn: await createIcon(image, sizeOfDrawing({ width, height }, format === 'svg')) }
  } catch {
    return { fault: 'the image is damaged, or takes too long to draw' }
  }
}

/** Maximum ratio of the sides of a drawing; the rest of a longer one is cropped. */
const maxRatio = 16

function sizeOfDrawing({ width, height }: IconSize, isScalable: boolean): IconSize {
  const shorter = Math.min(width, height)
  const scale = isScalable ? iconSizes.maximum / shorter : Math.min(1, iconSizes.maximum / shorter)
  const side = (length: number) => Math.max(1, Math.round(Math.min(length, maxRatio * shorter) * scale))
  return { width: side(width), height: side(height) }
}
