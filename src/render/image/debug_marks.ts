import type { Bbox } from '../../geo/bbox.ts'
import type { Color } from '../../style/color.ts'
import type { AddWork } from '../draw/draw_work.ts'
import { drawLabels } from '../label/draw_labels.ts'
import type { LabelPen } from '../label/label_pen.ts'
import type { LabelFace, PlacedLabel } from '../label/placed_label.ts'
import { pixelOf } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'

/** A box that is outlined on an image, with its name. All lengths are in device pixels. */
export interface DebugMark {
  readonly box: Bbox
  readonly name: string
}

/** Colour of outlines and names. */
const color: Color = '#ff0000'

const face: LabelFace = {
  family: 'DejaVu Sans Mono',
  weight: 400,
  isItalic: false,
  size: 11,
  letterSpacing: 0,
}

/** Distance of names from the outline, and length of a line of text, in pixels of 1/96 inch. */
const [margin, length] = [4, 1000]

/** What marks are drawn with. */
export interface MarkDrawing {
  readonly marks: readonly DebugMark[]
  readonly pen: LabelPen
  readonly pixelRatio: number
  /** Row of the image at the top of the surface. */
  readonly top: number
  /** Called before each name; throws to stop the work. */
  readonly check: AddWork
}

/** Draws the outlines and names of boxes on the part of an image. */
export function drawMarks(surface: Surface, { marks, pen, pixelRatio, top, check }: MarkDrawing): void {
  for (const { box } of marks) outline(surface, box, top)
  const labels = marks.map((mark) => labelOf(mark, pixelRatio))
  drawLabels(surface, { labels, pen, pixelRatio, top, check })
}

/** Draws the outermost pixels of a box. */
function outline({ width, height, words }: Surface, [left, above, right, below]: Bbox, top: number): void {
  const pixel = pixelOf(color)
  const [columns, rows] = [[left, right - 1].map(Math.round), [above - top, below - top - 1].map(Math.round)]
  const [first, last] = [Math.max(0, Math.round(left)), Math.min(width, Math.round(right))]
  for (const row of rows)
    if (row >= 0 && row < height) words.fill(pixel, row * width + first, row * width + last)
  const [from, to] = [Math.max(0, Math.round(above - top)), Math.min(height, Math.round(below - top))]
  for (const column of columns)
    if (column >= 0 && column < width)
      for (let row = from; row < to; row += 1) words[row * width + column] = pixel
}

function labelOf({ box, name }: DebugMark, pixelRatio: number): PlacedLabel {
  const [left, above] = [Math.max(0, box[0]) / pixelRatio + margin, Math.max(0, box[1]) / pixelRatio + margin]
  const baseline = above + face.size
  return {
    runs: [{ text: name, x: left, y: baseline, angle: 0 }],
    face,
    color,
    buffer: { size: 1, color: '#ffffff' },
    box: [left, above, left + Math.min(length, name.length * face.size), baseline + margin],
    anchor: [left, baseline],
  }
}
