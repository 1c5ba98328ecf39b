import type { Brush, LinePattern, PointPattern, SimpleFill } from '../../style/symbol_layer.ts'
import type { RunSink } from '../raster/coverage.ts'
import { quantize } from '../raster/fill.ts'
import { overPixel, pixelOf, scalePixel } from '../raster/pixel.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { type Canvas, createCanvas, strokeLines } from './canvas.ts'
import type { MarkerPen } from './marker.ts'

/** Layer that fills polygons with a pattern. */
export type PatternLayer = LinePattern<number> | PointPattern<number> | SimpleFill<number>

/** How a pattern is drawn. */
export interface PatternOptions {
  readonly opacity: number
  /** Draws the markers of point patterns. */
  readonly markers: MarkerPen
}

/**
 * Draws a pattern on the whole surface of a canvas, aligned to the world, so that it is the same for all polygons and
 * continues in the next tile.
 */
export function drawPattern(
  canvas: Canvas,
  layer: PatternLayer,
  { opacity, markers }: PatternOptions,
): Surface {
  const { width, height } = canvas.surface
  const { addWork } = canvas
  addWork?.(width * height)
  const target = { ...createCanvas(createSurface(width, height), canvas.origin, canvas.pixelRatio), addWork }
  if (layer.kind === 'fill') fillBrush(target, layer, opacity)
  else if (layer.kind === 'line_pattern') drawLinePattern(target, layer, opacity)
  else drawPointPattern(target, layer, { opacity, markers })
  return target.surface
}

/** Returns a sink that paints the pixels of a pattern over a surface. */
export function patternRuns(surface: Surface, pattern: Surface): RunSink {
  const { words, width } = surface
  return {
    addRow(row, { count, starts, ends, coverage }) {
      for (let run = 0; run < count; run += 1) {
        const part = quantize(coverage, run)
        const end = row * width + (ends[run] ?? 0)
        for (let at = row * width + (starts[run] ?? 0); at < end; at += 1) {
          const pixel = pattern.words[at] ?? 0
          if (pixel !== 0) words[at] = overPixel(scalePixel(pixel, part), words[at] ?? 0)
        }
      }
    },
  }
}

/** Rows of the brushes of Qt, 8 pixels each, the first in the lowest bit: 1 is painted. */
const brushRows: Readonly<Record<Exclude<Brush, 'solid' | 'no'>, readonly number[]>> = {
  horizontal: [0, 0, 0, 0xff, 0, 0, 0, 0],
  vertical: Array(8).fill(0x10),
  cross: [0x10, 0x10, 0x10, 0xff, 0x10, 0x10, 0x10, 0x10],
  b_diagonal: [0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01],
  f_diagonal: [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80],
  diagonal_x: [0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x42, 0x81],
  dense1: [0xff, 0xbb, 0xff, 0xff, 0xff, 0xbb, 0xff, 0xff],
  dense2: [0x77, 0xff, 0xdd, 0xff, 0x77, 0xff, 0xdd, 0xff],
  dense3: [0x55, 0xbb, 0x55, 0xee, 0x55, 0xbb, 0x55, 0xee],
  dense4: [0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55],
  dense5: [0xaa, 0x44, 0xaa, 0x11, 0xaa, 0x44, 0xaa, 0x11],
  dense6: [0x88, 0, 0x22, 0, 0x88, 0, 0x22, 0],
  dense7: [0, 0x44, 0, 0, 0, 0x44, 0, 0],
}

function fillBrush(canvas: Canvas, { brush, color }: SimpleFill<number>, opacity: number): void {
  if (brush === 'solid' || brush === 'no') return
  const { surface, origin, pixelRatio } = canvas
  const rows = brushRows[brush]
  const pixel = pixelOf(color, opacity)
  const [left, top] = origin.map((edge) => modulo(Math.round(edge), 8 * pixelRatio))
  for (let at = 0; at < surface.words.length; at += 1) {
    const column = Math.floor(((at % surface.width) + (left ?? 0)) / pixelRatio)
    const row = Math.floor((Math.floor(at / surface.width) + (top ?? 0)) / pixelRatio)
    if (((rows[row & 7] ?? 0) & (1 << (column & 7))) !== 0) surface.words[at] = pixel
  }
}

const modulo = (value: number, divisor: number) => ((value % divisor) + divisor) % divisor

/** Minimum distance of lines and markers of a pattern, in pixels. */
const minDistance = 1

function drawLinePattern(canvas: Canvas, layer: LinePattern<number>, opacity: number): void {
  const { width, height } = canvas.surface
  const distance = Math.max(minDistance, Math.abs(layer.distance) || minDistance)
  const angle = (layer.angle * Math.PI) / 180
  // Direction of the lines, and the direction in which they follow each other; y grows downwards.
  const [dx, dy] = [Math.cos(angle), -Math.sin(angle)]
  const [nx, ny] = [-dy, dx]
  const corners = [
    [0, 0],
    [width, 0],
    [0, height],
    [width, height],
  ].map(([x = 0, y = 0]) => (x + canvas.origin[0]) * nx + (y + canvas.origin[1]) * ny - layer.offset)
  const length = width + height
  const [middleX, middleY] = [width / 2, height / 2]
  const middle = (middleX + canvas.origin[0]) * nx + (middleY + canvas.origin[1]) * ny - layer.offset
  const [first, last] = [
    Math.floor(Math.min(...corners) / distance) - 1,
    Math.ceil(Math.max(...corners) / distance) + 1,
  ]
  for (const line of layer.line.layers) {
    if (line.kind !== 'line') continue
    const lines = Array.from({ length: last - first + 1 }, (_, at) => {
      const away = (first + at) * distance - middle
      const [x, y] = [middleX + nx * away, middleY + ny * away]
      const ends = [x - dx * length, y - dy * length, x + dx * length, y + dy * length]
      return { coordinates: Float64Array.from(ends), isClosed: false }
    })
    strokeLines(canvas, lines, { ...line.stroke, opacity: opacity * layer.line.opacity })
  }
}

function drawPointPattern(
  canvas: Canvas,
  layer: PointPattern<number>,
  { opacity, markers }: PatternOptions,
): void {
  const { width, height } = canvas.surface
  const [stepX, stepY] = layer.distance.map((step) => Math.max(minDistance, Math.abs(step) || minDistance))
  const angle = (layer.angle * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const pen = markers.on(canvas)
  const marker = { ...layer.marker, opacity: layer.marker.opacity * opacity }
  const reach = pen.reachOf(marker) + Math.hypot(...layer.displacement)
  const sides = [
    [-reach, -reach],
    [width + reach, -reach],
    [-reach, height + reach],
    [width + reach, height + reach],
  ]
  const turned = sides.map(([x = 0, y = 0]) => {
    const [wx, wy] = [x + canvas.origin[0] - layer.offset[0], y + canvas.origin[1] - layer.offset[1]]
    return [wx * cos + wy * sin, wy * cos - wx * sin] as const
  })
  const range = (values: number[], step: number) => [
    Math.floor(Math.min(...values) / step),
    Math.ceil(Math.max(...values) / step),
  ]
  const [firstX = 0, lastX = 0] = range(
    turned.map(([x]) => x),
    stepX ?? 1,
  )
  const [firstY = 0, lastY = 0] = range(
    turned.map(([, y]) => y),
    stepY ?? 1,
  )
  pen.addWork((lastX - firstX + 1) * (lastY - firstY + 1))
  for (let row = firstY; row <= lastY; row += 1) {
    for (let column = firstX; column <= lastX; column += 1) {
      const x = column * (stepX ?? 1) + (modulo(row, 2) === 1 ? layer.displacement[0] : 0)
      const y = row * (stepY ?? 1) + (modulo(column, 2) === 1 ? layer.displacement[1] : 0)
      const place = [
        x * cos - y * sin - canvas.origin[0] + layer.offset[0],
        x * sin + y * cos - canvas.origin[1] + layer.offset[1],
      ] as const
      pen.draw(marker, place)
    }
  }
}
