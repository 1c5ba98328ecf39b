import { type Bbox, bboxesIntersect } from '../../geo/bbox.ts'
import { magnifySymbol } from '../../style/scale_layer.ts'
import { createCanvas } from '../draw/canvas.ts'
import type { AddWork } from '../draw/draw_work.ts'
import { MarkerPen } from '../draw/marker.ts'
import type { SvgImages } from '../draw/svg_marker.ts'
import { SymbolPen } from '../draw/symbol.ts'
import { overPixel } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'
import type { LabelImage, LabelPen } from './label_pen.ts'
import { type PlacedLabel, reachOfLabel } from './placed_label.ts'

/** Work of a pixel of a label: its memory is not free before the image is complete. */
const pixelWork = 8

/** Labels to draw on an image. */
export interface LabelDrawing {
  /** Those drawn first come first; in pixels of 1/96 inch. */
  readonly labels: readonly PlacedLabel[]
  readonly pen: LabelPen
  /** Images of markers on callouts. */
  readonly images?: SvgImages | undefined
  /** Device pixels per pixel. */
  readonly pixelRatio: number
  /** Row of the image at the top of the surface, in device pixels. */
  readonly top: number
  /** Called before each label, and with the work of drawing labels and callouts; throws to stop it. */
  readonly check: AddWork
}

/**
 * Draws the parts of labels that lie on a surface.
 *
 * @throws what `check` throws
 */
export function drawLabels(surface: Surface, drawing: LabelDrawing): void {
  const { labels, pen, pixelRatio, top, check } = drawing
  const [width, height] = [surface.width / pixelRatio, surface.height / pixelRatio]
  const shown: Bbox = [0, top / pixelRatio, width, top / pixelRatio + height]
  const near = labels.filter((label) => bboxesIntersect(reachOfLabel(label), shown))
  drawCallouts(surface, near, drawing)
  for (const label of near) {
    check()
    const image = pen.draw(label, pixelRatio)
    if (image === undefined) continue
    check(pixelWork * image.surface.width * image.surface.height)
    putImage(surface, { ...image, top: image.top - top })
  }
}

/** Draws lines from labels to their features. */
function drawCallouts(
  surface: Surface,
  labels: readonly PlacedLabel[],
  { pen, images, pixelRatio, top, check }: LabelDrawing,
): void {
  if (labels.every(({ callout }) => callout === undefined)) return
  const canvas = { ...createCanvas(surface, [0, top], pixelRatio), addWork: check }
  const symbols = new SymbolPen(canvas, new MarkerPen(canvas, undefined, { images, textPen: pen }))
  for (const { callout } of labels) {
    if (callout === undefined) continue
    check()
    const line = Float64Array.from(callout.line, (value, at) => value * pixelRatio - (at % 2) * top)
    const symbol = magnifySymbol(callout.symbol, pixelRatio)
    for (const layer of symbol.layers) symbols.draw({ family: 'LINESTRING', parts: [[line]] }, symbol, layer)
  }
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
