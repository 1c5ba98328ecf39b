import type { Bbox } from '../../geo/bbox.ts'
import { overPixel } from './pixel.ts'
import { createSurface, type Surface } from './surface.ts'

/** Returns the part of a surface with all pixels that are not transparent; undefined if there is none. */
export function trimSurface(surface: Surface): Surface | undefined {
  const box = paintedBox(surface)
  return box && cropSurface(surface, box)
}

/** Box of columns and rows that are not transparent; the upper bounds are exclusive. */
function paintedBox({ words, width, height }: Surface): Bbox | undefined {
  let [minX, minY, maxX, maxY] = [width, height, 0, 0]
  for (let row = 0; row < height; row += 1) {
    const from = row * width
    for (let column = 0; column < width; column += 1) {
      if ((words[from + column] ?? 0) >>> 24 === 0) continue
      minX = Math.min(minX, column)
      maxX = Math.max(maxX, column + 1)
      minY = Math.min(minY, row)
      maxY = row + 1
    }
  }
  return maxX === 0 ? undefined : [minX, minY, maxX, maxY]
}

function cropSurface({ words, width }: Surface, [minX, minY, maxX, maxY]: Bbox): Surface {
  const cropped = createSurface(maxX - minX, maxY - minY)
  for (let row = minY; row < maxY; row += 1) {
    const line = words.subarray(row * width + minX, row * width + maxX)
    cropped.words.set(line, (row - minY) * cropped.width)
  }
  return cropped
}

/** Returns a surface as large as fits into a side, each pixel the mean of those that it covers; never larger than it is. */
export function shrinkToFit(surface: Surface, side: number): Surface {
  const factor = Math.max(surface.width, surface.height) / side
  if (factor <= 1) return surface
  const sizes = [surface.width, surface.height].map((size) => Math.max(1, Math.round(size / factor)))
  const [width = 1, height = 1] = sizes
  const shrunk = createSurface(width, height)
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1)
      shrunk.words[row * width + column] = meanOf(surface, [
        (column * surface.width) / width,
        (row * surface.height) / height,
        ((column + 1) * surface.width) / width,
        ((row + 1) * surface.height) / height,
      ])
  return shrunk
}

/** Mean of the premultiplied pixels in a box, weighted by the part of each that lies inside. */
function meanOf({ bytes, width, height }: Surface, [minX, minY, maxX, maxY]: Bbox): number {
  const sums = [0, 0, 0, 0]
  let total = 0
  for (let row = Math.floor(minY); row < Math.min(height, Math.ceil(maxY)); row += 1) {
    const rowWeight = Math.min(maxY, row + 1) - Math.max(minY, row)
    for (let column = Math.floor(minX); column < Math.min(width, Math.ceil(maxX)); column += 1) {
      const weight = rowWeight * (Math.min(maxX, column + 1) - Math.max(minX, column))
      total += weight
      const at = 4 * (row * width + column)
      for (const [channel, sum] of sums.entries()) sums[channel] = sum + weight * (bytes[at + channel] ?? 0)
    }
  }
  return sums.reduce((word, sum, channel) => word | (Math.round(sum / total) << (8 * channel)), 0)
}

/** Puts a surface over another one, with its top left corner at a pixel. */
export function putSurface(
  target: Surface,
  { words, width, height }: Surface,
  [left, top]: readonly [x: number, y: number],
): void {
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const pixel = words[row * width + column] ?? 0
      const to = (row + top) * target.width + left + column
      if (pixel !== 0) target.words[to] = overPixel(pixel, target.words[to] ?? 0)
    }
  }
}
