import type { SvgMarker } from '../../style/symbol_layer.ts'
import { overPixel } from '../raster/pixel.ts'
import type { Surface } from '../raster/surface.ts'
import type { Canvas } from './canvas.ts'
import { anchorOffset, type MarkerPlace } from './simple_marker.ts'

/** SVG images as surfaces of twice their size, by the key of their markers. */
export type SvgImages = ReadonlyMap<string, Surface>

/** Pixels of a surface per pixel of its marker. */
export const svgScale = 2

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

/** Returns how far a marker reaches from its position, in pixels. */
export function svgMarkerReach({ size, offset, aspectRatio }: SvgMarker<number>): number {
  return size * (1 + (aspectRatio || 2)) + Math.hypot(...offset)
}

/** Draws a marker, turned and at a fraction of a pixel. A marker without an image draws nothing. */
export function drawSvgMarker(
  { surface }: Canvas,
  { image, marker, place }: { image: Surface | undefined; marker: SvgMarker<number>; place: MarkerPlace },
): void {
  if (image === undefined) return
  const angle = ((marker.angle + place.angle) * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const [halfWidth, halfHeight] = [image.width / svgScale / 2, image.height / svgScale / 2]
  const [anchorX, anchorY] = anchorOffset(marker.anchor)
  const [dx, dy] = [marker.offset[0] + anchorX * halfWidth, marker.offset[1] + anchorY * halfHeight]
  const reach = Math.ceil(Math.hypot(Math.abs(dx) + halfWidth, Math.abs(dy) + halfHeight)) + 1
  const [left, top] = [Math.floor(place.x) - reach, Math.floor(place.y) - reach]
  for (let row = Math.max(0, top); row < Math.min(surface.height, top + 2 * reach + 2); row += 1) {
    for (
      let column = Math.max(0, left);
      column < Math.min(surface.width, left + 2 * reach + 2);
      column += 1
    ) {
      const [x, y] = [column + 0.5 - place.x, row + 0.5 - place.y]
      const at = [x * cos + y * sin - dx + halfWidth, y * cos - x * sin - dy + halfHeight] as const
      const pixel = sample(image, at, place.opacity)
      const to = row * surface.width + column
      if (pixel !== 0) surface.words[to] = overPixel(pixel, surface.words[to] ?? 0)
    }
  }
}

/** Returns the mean of the four pixels of an image around a position in pixels of its marker. */
function sample(image: Surface, [x, y]: readonly [number, number], opacity: number): number {
  const [left, top] = [x * svgScale - 0.5, y * svgScale - 0.5]
  const [column, row] = [Math.floor(left), Math.floor(top)]
  if (column < -1 || row < -1 || column >= image.width || row >= image.height) return 0
  const [partX, partY] = [left - column, top - row]
  const weights = [(1 - partX) * (1 - partY), partX * (1 - partY), (1 - partX) * partY, partX * partY]
  const words = [0, 1, 2, 3].map((corner) => wordAt(image, column + (corner & 1), row + (corner >> 1)))
  let pixel = 0
  for (let shift = 0; shift < 32; shift += 8) {
    const mean = words.reduce(
      (sum, word, corner) => sum + ((word >>> shift) & 255) * (weights[corner] ?? 0),
      0,
    )
    pixel |= Math.round(mean * opacity) << shift
  }
  return pixel >>> 0
}

function wordAt({ words, width, height }: Surface, column: number, row: number): number {
  return column < 0 || row < 0 || column >= width || row >= height ? 0 : (words[row * width + column] ?? 0)
}
