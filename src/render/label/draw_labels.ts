import type { Bbox } from '../../geo/bbox.ts'
import { overPixel } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'
import type { LabelImage, LabelPen } from './label_pen.ts'
import type { PlacedLabel } from './placed_label.ts'

/** Labels to draw on an image. */
export interface LabelDrawing {
  /** Those drawn first come first; in pixels of 1/96 inch. */
  readonly labels: readonly PlacedLabel[]
  readonly pen: LabelPen
  /** Device pixels per pixel. */
  readonly pixelRatio: number
  /** Row of the image at the top of the surface, in device pixels. */
  readonly top: number
  /** Called before each label; throws to stop the work. */
  readonly check: () => void
}

/**
 * Draws the parts of labels that lie on a surface.
 *
 * @throws what `check` throws
 */
export function drawLabels(surface: Surface, { labels, pen, pixelRatio, top, check }: LabelDrawing): void {
  const [width, height] = [surface.width / pixelRatio, surface.height / pixelRatio]
  const shown: Bbox = [0, top / pixelRatio, width, top / pixelRatio + height]
  for (const label of labels) {
    if (!isNear(label, shown)) continue
    check()
    const image = pen.draw(label, pixelRatio)
    if (image !== undefined) putImage(surface, { ...image, top: image.top - top })
  }
}

/** Reports whether letters of a label, which may reach beyond its box, may lie in an area. */
function isNear({ box, face }: PlacedLabel, [left, top, right, bottom]: Bbox): boolean {
  const margin = face.size + 4
  return (
    box[2] + margin > left && box[0] - margin < right && box[3] + margin > top && box[1] - margin < bottom
  )
}

/** Puts an image over the part of a surface where it lies. */
function putImage(target: Surface, { surface, left, top }: LabelImage): void {
  const [firstColumn, lastColumn] = [Math.max(0, -left), Math.min(surface.width, target.width - left)]
  const [firstRow, lastRow] = [Math.max(0, -top), Math.min(surface.height, target.height - top)]
  const [words, below] = [surface.words, target.words]
  for (let row = firstRow; row < lastRow; row += 1) {
    const from = row * surface.width
    const to = (row + top) * target.width + left
    for (let column = firstColumn; column < lastColumn; column += 1) {
      const pixel = words[from + column] ?? 0
      if (pixel === 0) continue
      below[to + column] = pixel >>> 24 === 255 ? pixel : overPixel(pixel, below[to + column] ?? 0)
    }
  }
}
