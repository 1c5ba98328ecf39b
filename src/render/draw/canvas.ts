import type { Bbox } from '../../geo/bbox.ts'
import type { Stroke } from '../../style/symbol_layer.ts'
import { CoverageBuffer } from '../raster/coverage.ts'
import { dashLine, normalizeDash } from '../raster/dash.ts'
import { paintRuns } from '../raster/fill.ts'
import { clipLine } from '../raster/line_clip.ts'
import { pixelOf } from '../raster/pixel.ts'
import { type Pen, type StrokeLine, strokeLine, strokeReach } from '../raster/stroke.ts'
import type { Surface } from '../raster/surface.ts'
import type { AddWork } from './draw_work.ts'

/** Surface with what is needed to draw paths on it. */
export interface Canvas {
  readonly surface: Surface
  readonly coverage: CoverageBuffer
  /** Column and row of the top left pixel in an image of the world, to which patterns are aligned. */
  readonly origin: readonly [x: number, y: number]
  /** Device pixels per pixel. */
  readonly pixelRatio: number
  /** Counts the work of drawing; uncounted if it is missing. */
  readonly addWork?: AddWork | undefined
}

/** Creates a canvas for a surface. A path on it must be filled before one on another canvas of the same size is begun. */
export function createCanvas(surface: Surface, origin: Canvas['origin'] = [0, 0], pixelRatio = 1): Canvas {
  return { surface, coverage: findCoverage(surface), origin, pixelRatio }
}

/** Coverage buffers of recent sizes: creating one takes longer than drawing a small tile. */
const buffers: CoverageBuffer[] = []
const maxBuffers = 4

function findCoverage({ width, height }: Surface): CoverageBuffer {
  const known = buffers.find((one) => one.width === width && one.height === height)
  if (known !== undefined) {
    // Work that failed may have left a path.
    known.flush('nonzero', { addRow: () => undefined })
    return known
  }
  const buffer = new CoverageBuffer(width, height)
  if (buffers.push(buffer) > maxBuffers) buffers.shift()
  return buffer
}

/** Maximum length of a miter of outlines and lines, as a multiple of the width. */
const miterLimit = 4

/**
 * Strokes lines as one area, so that crossings of a line with itself are not darker. A line of up to one pixel is drawn as QGIS
 * does: a hairline, as much more transparent as it is narrower.
 */
export function strokeLines(canvas: Canvas, lines: readonly StrokeLine[], stroke: ScaledStroke): void {
  const isThin = stroke.width <= 1 && stroke.isExact !== true
  const pen: Pen = { width: isThin ? 0 : stroke.width, join: stroke.join, cap: stroke.cap, miterLimit }
  const box = visibleBox(canvas.surface, strokeReach(pen) + 1)
  const pattern = normalizeDash(stroke.dash, stroke.dashOffset)
  const pieces = lines.flatMap((line) =>
    pattern === undefined ? clipLine(closeLine(line), box, true) : clipLine(line, box, false),
  )
  const dashes = pattern === undefined ? { lines: pieces, opacity: 1 } : dashLine(pieces, pattern)
  canvas.addWork?.(strokeWork(canvas, dashes.lines, pen))
  for (const line of dashes.lines) strokeLine(canvas.coverage, line, pen)
  const part = isThin && stroke.width > 0 ? stroke.width : 1
  const pixel = pixelOf(stroke.color, stroke.opacity * dashes.opacity * part)
  canvas.coverage.flush('nonzero', paintRuns(canvas.surface, pixel))
}

/** Work of each line, such as a dash, in pixels. */
const lineWork = 128

/** Pixels that are covered in the time of blending one. */
const coverRate = 4

function strokeWork({ surface }: Canvas, lines: readonly StrokeLine[], { width }: Pen): number {
  let length = 0
  for (const { coordinates } of lines) {
    for (let at = 2; at < coordinates.length; at += 2) {
      const dx = (coordinates[at] ?? 0) - (coordinates[at - 2] ?? 0)
      const dy = (coordinates[at + 1] ?? 0) - (coordinates[at - 1] ?? 0)
      length += Math.sqrt(dx * dx + dy * dy)
    }
  }
  const area = Math.min(surface.width * surface.height, length * (Math.abs(width) + 2))
  return lines.length * lineWork + area / coverRate
}

/** Closes a line that ends where it starts, so that its ends are joined. */
function closeLine(line: StrokeLine): StrokeLine {
  const { coordinates, isClosed } = line
  const { length } = coordinates
  const isLoop = coordinates[0] === coordinates[length - 2] && coordinates[1] === coordinates[length - 1]
  return isClosed || !isLoop || length < 8
    ? line
    : { coordinates: coordinates.subarray(0, length - 2), isClosed: true }
}

/** A stroke in pixels. */
export interface ScaledStroke extends Stroke<number> {
  /** From 0 to 1. */
  readonly opacity: number
}

/** Returns the box of a surface with a margin, in pixels. */
export function visibleBox({ width, height }: Surface, margin: number): Bbox {
  const reach = Number.isFinite(margin) ? margin : 0
  return [-reach, -reach, width + reach, height + reach]
}
