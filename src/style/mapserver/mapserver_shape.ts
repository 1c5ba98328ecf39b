import { type Color, channelsOf, fade } from '../color.ts'
import type { Offset, SvgMarker } from '../symbol_layer.ts'
import type { Symbolizer, VectorShape } from './mapserver_model.ts'

type Point = readonly [x: number, y: number]

/** Limits of the points of a shape: their number, and that of their coordinates. */
const limits = { points: 500, coordinate: 10_000 }

/**
 * Reads the points of a shape: numbers x and y, and -99 -99 between its parts. Returns undefined for other texts, and for shapes
 * without height or width.
 */
export function readShapeParts(text: string): VectorShape['parts'] | undefined {
  const numbers = text
    .trim()
    .split(/[\s,]+/)
    .map(Number)
  const isValid = numbers.every((one) => Number.isFinite(one) && Math.abs(one) <= limits.coordinate)
  if (!isValid || numbers.length % 2 !== 0 || numbers.length > 2 * limits.points) return undefined
  const parts: Point[][] = [[]]
  for (let at = 0; at < numbers.length; at += 2) {
    const [x = 0, y = 0] = numbers.slice(at, at + 2)
    if (x === -99 && y === -99) parts.push([])
    else parts.at(-1)?.push([x, y])
  }
  const [width, height] = sizeOf(parts)
  return width > 0 && height > 0 && parts.every(({ length }) => length > 1) ? parts : undefined
}

/** Returns the points of a shape as `readShapeParts` reads them. */
export function formatShapeParts(parts: VectorShape['parts']): string {
  return parts.map((part) => part.flat().join(' ')).join(' -99 -99 ')
}

/** Shapes reach from 0 to their highest coordinates. */
function sizeOf(parts: VectorShape['parts']): Point {
  const points = parts.flat()
  return [Math.max(...points.map(([x]) => x)), Math.max(...points.map(([, y]) => y))]
}

/** Returns the width of a shape that is drawn in a height. */
export function widthOfShape({ parts }: VectorShape, height: number): number {
  const [width, whole] = sizeOf(parts)
  return (height * width) / whole
}

/** Returns a shape as a marker: filled with an outline, or as lines in the colour of the style. */
export function shapeMarkerOf(
  symbolizer: Symbolizer,
  shape: VectorShape,
  offset: Offset<number>,
): SvgMarker | undefined {
  const { fill, outline, size, opacity } = symbolizer
  const edge = shape.isFilled ? outline : (fill ?? outline)
  const inner = shape.isFilled ? fill : undefined
  const strokeWidth = edge === undefined ? 0 : symbolizer.width
  if (size <= 0 || (inner === undefined && strokeWidth <= 0)) return undefined
  const [width, height] = sizeOf(shape.parts)
  const unit = height / size
  // Outlines, and their sharp corners, reach beyond the shape.
  const margin = miterLimit * strokeWidth * unit
  const box = [-margin, -margin, width + 2 * margin, height + 2 * margin]
  const path = shape.parts.map((part) => `M${part.map((point) => point.join(' ')).join('L')}`).join('')
  const paint = [
    ...(inner === undefined ? ['fill="none"'] : paintOf('fill', fade(inner, opacity))),
    ...(edge === undefined || strokeWidth <= 0
      ? []
      : [...paintOf('stroke', fade(edge, opacity)), `stroke-width="${strokeWidth * unit}"`]),
  ]
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.join(' ')}" width="${box[2]}" height="${box[3]}"><path d="${path}" fill-rule="evenodd" stroke-miterlimit="${miterLimit}" ${paint.join(' ')}/></svg>`
  return {
    ...{ kind: 'svg', pass: 0, source: { svg }, fill: '#000000', outline: '#000000', outlineWidth: 0 },
    ...{ aspectRatio: 0, size: (box[2] ?? 0) / unit, angle: (360 - symbolizer.angle) % 360, offset },
    anchor: { x: 'center', y: 'center' },
  }
}

const miterLimit = 4

function paintOf(name: 'fill' | 'stroke', color: Color): string[] {
  const [red, green, blue, alpha] = channelsOf(color)
  return [`${name}="rgb(${red},${green},${blue})"`, `${name}-opacity="${alpha / 255}"`]
}
