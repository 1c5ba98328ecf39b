import type { Bbox } from '../../geo/bbox.ts'
import type { Stroke } from '../../style/symbol_layer.ts'
import { CoverageBuffer, type FillRule, type RunSink } from '../raster/coverage.ts'
import { dashLine, normalizeDash } from '../raster/dash.ts'
import { paintRuns } from '../raster/fill.ts'
import { clipLine } from '../raster/line_clip.ts'
import { pixelOf } from '../raster/pixel.ts'
import { type Pen, type StrokeLine, strokeLine, strokeReach } from '../raster/stroke.ts'
import type { Surface } from '../raster/surface.ts'

/** Surface with what is needed to draw paths on it. */
export interface Canvas {
  readonly surface: Surface
  readonly coverage: CoverageBuffer
  /** Column and row of the top left pixel in an image of the world, to which patterns are aligned. */
  readonly origin: readonly [x: number, y: number]
  /** Device pixels per pixel. */
  readonly pixelRatio: number
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
    known.flush('nonzero', { startRow: () => undefined, addRun: () => undefined })
    return known
  }
  const buffer = new CoverageBuffer(width, height)
  if (buffers.push(buffer) > maxBuffers) buffers.shift()
  return buffer
}

/** Fills the path in the coverage buffer of a canvas. */
export function flushPath({ coverage }: Canvas, rule: FillRule, sink: RunSink): void {
  coverage.flush(rule, sink)
}

/** Maximum length of a miter of outlines and lines, as a multiple of the width. */
const miterLimit = 4

/** Strokes lines as one area, so that crossings of a line with itself are not darker. */
export function strokeLines(canvas: Canvas, lines: readonly StrokeLine[], stroke: ScaledStroke): void {
  const pen: Pen = { width: stroke.width, join: stroke.join, cap: stroke.cap, miterLimit }
  const box = visibleBox(canvas.surface, strokeReach(pen) + 1)
  const pattern = normalizeDash(stroke.dash, stroke.dashOffset)
  const pieces = lines.flatMap((line) => clipLine(line, box, pattern === undefined))
  const dashes = pattern === undefined ? { lines: pieces, opacity: 1 } : dashLine(pieces, pattern)
  for (const line of dashes.lines) strokeLine(canvas.coverage, line, pen)
  const pixel = pixelOf(stroke.color, stroke.opacity * dashes.opacity)
  canvas.coverage.flush('nonzero', paintRuns(canvas.surface, pixel))
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
