import sharp from 'sharp'
import { CoverageBuffer, type FillRule } from '../../src/render/raster/coverage.ts'
import { paintRuns } from '../../src/render/raster/fill.ts'
import { createSurface, type Surface } from '../../src/render/raster/surface.ts'

/** Positions of a contour, in pixels. */
export type Contour = readonly (readonly [x: number, y: number])[]

/** Adds contours to a coverage buffer. */
export function addContours(
  buffer: CoverageBuffer,
  contours: readonly Contour[],
  [dx, dy]: readonly [number, number] = [0, 0],
): void {
  const move = ([x, y]: Contour[number]) => [x + dx, y + dy]
  for (const contour of contours) buffer.addContour(Float64Array.from(contour.flatMap(move)))
}

/** Returns the covered part of each pixel. */
export function readCoverage(buffer: CoverageBuffer, rule: FillRule): Float64Array {
  const parts = new Float64Array(buffer.width * buffer.height)
  buffer.flush(rule, {
    addRow: (row, { count, starts, ends, coverage }) => {
      const base = row * buffer.width
      for (let run = 0; run < count; run += 1)
        parts.fill(coverage[run] ?? 0, base + (starts[run] ?? 0), base + (ends[run] ?? 0))
    },
  })
  return parts
}

/** Draws in black what a function adds to a coverage buffer, and returns the alpha channel. */
export function drawAlpha(size: number, rule: FillRule, add: (buffer: CoverageBuffer) => void): Uint8Array {
  const surface = createSurface(size, size)
  const buffer = new CoverageBuffer(size, size)
  add(buffer)
  buffer.flush(rule, paintRuns(surface, 0xff000000))
  return alphaOf(surface)
}

/** Returns the alpha channel of a surface. */
export function alphaOf({ bytes }: Surface): Uint8Array {
  return bytes.filter((_, at) => at % 4 === 3)
}

/** Draws the content of an SVG document with librsvg, and returns the alpha channel. */
export async function drawSvg(size: number, content: string): Promise<Uint8Array> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}">${content}</svg>`
  const bytes = await sharp(Buffer.from(svg)).ensureAlpha().raw().toBuffer()
  return new Uint8Array(bytes.filter((_, at) => at % 4 === 3))
}

/** Returns contours as the path of an SVG document. */
export function svgPath(contours: readonly Contour[], isClosed = true): string {
  return contours.map((contour) => `M${contour.map(String).join('L')}${isClosed ? 'Z' : ''}`).join('')
}

/** Returns the largest and the mean difference of two images. */
export function compareImages(
  a: Uint8Array,
  b: Uint8Array,
): { readonly largest: number; readonly mean: number } {
  let [largest, sum] = [0, 0]
  for (const [at, value] of a.entries()) {
    const difference = Math.abs(value - (b[at] ?? 0))
    largest = Math.max(largest, difference)
    sum += difference
  }
  return { largest, mean: sum / a.length }
}
