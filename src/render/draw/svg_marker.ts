import type { SvgMarker } from '../../style/symbol_layer.ts'
import { overPixel } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'
import type { Canvas } from './canvas.ts'
import { anchorOffset, type MarkerPlace } from './simple_marker.ts'

/** SVG images as surfaces of about twice their size, by the key of their markers. Similar markers share one. */
export type SvgImages = ReadonlyMap<string, Surface>

/** Pixels of a surface per pixel of the marker that it is drawn for. */
export const svgScale = 2

/** Work of a pixel of a marker, which is a mean of four of its image. */
const sampleWork = 8

/** Returns a key of what the image of a marker depends on. */
export function svgKey({
  source,
  fill,
  outline,
  outlineWidth,
  size,
  aspectRatio,
}: SvgMarker<number>): string {
  return JSON.stringify([source, fill, outline, outlineWidth, size, aspectRatio])
}

/** Returns how far a marker reaches from its position, in pixels: at most, if its image is not known. */
export function svgMarkerReach(marker: SvgMarker<number>, image?: Surface): number {
  const { size, offset, aspectRatio } = marker
  if (image === undefined) return size * (1 + (aspectRatio || 2)) + Math.hypot(...offset)
  const { left, top, right, bottom } = boxOf(marker, image)
  return Math.hypot(Math.max(-left, right), Math.max(-top, bottom)) + 1
}

/** Returns the box of a marker around its position, before it is turned. */
function boxOf({ anchor, offset, size, aspectRatio }: SvgMarker<number>, { width, height }: Surface) {
  const [halfWidth, halfHeight] = [size / 2, (size * (aspectRatio || height / width)) / 2]
  const [anchorX, anchorY] = anchorOffset(anchor)
  const [x, y] = [offset[0] + anchorX * halfWidth, offset[1] + anchorY * halfHeight]
  return { left: x - halfWidth, right: x + halfWidth, top: y - halfHeight, bottom: y + halfHeight }
}

/** Draws a marker, turned and at a fraction of a pixel. A marker without an image draws nothing. */
export function drawSvgMarker(
  { surface, addWork }: Canvas,
  { image, marker, place }: { image: Surface | undefined; marker: SvgMarker<number>; place: MarkerPlace },
): void {
  if (image === undefined) return
  const angle = ((marker.angle + place.angle) * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const box = boxOf(marker, image)
  const { words, width } = surface
  const scaleX = image.width / (box.right - box.left)
  const scaleY = image.height / (box.bottom - box.top)
  const sampled = { image, opacity: place.opacity }
  const visible = turnedBox(surface, { box, cos, sin, place })
  const { firstColumn, lastColumn, firstRow, lastRow } = visible
  if (!(lastColumn > firstColumn && lastRow > firstRow)) return
  addWork?.((lastColumn - firstColumn) * (lastRow - firstRow) * sampleWork)
  for (let row = firstRow; row < lastRow; row += 1) {
    const y = row + 0.5 - place.y
    for (let column = firstColumn; column < lastColumn; column += 1) {
      const x = column + 0.5 - place.x
      const left = (x * cos + y * sin - box.left) * scaleX
      const pixel = sample(sampled, left, (y * cos - x * sin - box.top) * scaleY)
      const to = row * width + column
      if (pixel >>> 24 === 255) words[to] = pixel
      else if (pixel !== 0) words[to] = overPixel(pixel, words[to] ?? 0)
    }
  }
}

interface TurnedBox {
  readonly box: ReturnType<typeof boxOf>
  readonly cos: number
  readonly sin: number
  readonly place: MarkerPlace
}

/** Returns the columns and rows of a surface, exclusive of the last, that a turned box with its blurred edge touches. */
function turnedBox({ width, height }: Surface, { box, cos, sin, place }: TurnedBox) {
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const [halfWidth, halfHeight] = [(box.right - box.left) / 2 + 1, (box.bottom - box.top) / 2 + 1]
  const [middleX, middleY] = [place.x + x * cos - y * sin, place.y + x * sin + y * cos]
  const reachX = halfWidth * Math.abs(cos) + halfHeight * Math.abs(sin)
  const reachY = halfWidth * Math.abs(sin) + halfHeight * Math.abs(cos)
  return {
    firstColumn: Math.max(0, Math.floor(middleX - reachX)),
    lastColumn: Math.min(width, Math.ceil(middleX + reachX)),
    firstRow: Math.max(0, Math.floor(middleY - reachY)),
    lastRow: Math.min(height, Math.ceil(middleY + reachY)),
  }
}

/** An image, and the opacity of its marker. */
interface Sampled {
  readonly image: Surface
  readonly opacity: number
}

/** Returns the mean of the four pixels of an image around a position. Called for each pixel of large markers: it makes no objects. */
function sample({ image, opacity }: Sampled, x: number, y: number): number {
  const { words, width, height } = image
  const left = x - 0.5
  const top = y - 0.5
  const column = Math.floor(left)
  const row = Math.floor(top)
  if (column < -1 || row < -1 || column >= width || row >= height) return 0
  const at = row * width + column
  const hasLeft = column >= 0
  const hasRight = column + 1 < width
  const hasLower = row + 1 < height
  const a = row >= 0 && hasLeft ? (words[at] ?? 0) : 0
  const b = row >= 0 && hasRight ? (words[at + 1] ?? 0) : 0
  const c = hasLower && hasLeft ? (words[at + width] ?? 0) : 0
  const d = hasLower && hasRight ? (words[at + width + 1] ?? 0) : 0
  // Most of an image is transparent, or of one colour.
  if ((a | b | c | d) === 0) return 0
  if (opacity === 1 && a === b && a === c && a === d) return a
  const partX = left - column
  const partY = top - row
  const weightA = (1 - partX) * (1 - partY)
  const weightB = partX * (1 - partY)
  const weightC = (1 - partX) * partY
  const weightD = partX * partY
  let pixel = 0
  for (let shift = 0; shift < 32; shift += 8) {
    const upper = ((a >>> shift) & 255) * weightA + ((b >>> shift) & 255) * weightB
    const mean = upper + ((c >>> shift) & 255) * weightC + ((d >>> shift) & 255) * weightD
    pixel |= Math.round(mean * opacity) << shift
  }
  return pixel
}
