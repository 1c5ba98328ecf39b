import { problem } from '../../../contract/problems.ts'
import type { JobWindow, WindowJobLayer } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'

/** Maximum number of pixels of an image for which other services are asked. */
const maxPixels = 2 ** 24

/**
 * Checks that an image is not too large for images of other services, which are held in memory.
 *
 * @throws {Problem} render/too-large
 */
export function checkFrameSize({ width, height }: ImageFrame, resource: number): void {
  if (width * height <= maxPixels) return
  throw problem(
    'render/too-large',
    `Images with resource id = ${resource}, which is fetched from another service, have at most ${maxPixels} pixels, not ${width} × ${height}.`,
    { resource },
  )
}

/** Creates a transparent window. */
export function createWindow(width: number, height: number): JobWindow {
  return { width, height, pixels: new Uint8Array(4 * width * height) }
}

/** Copies an image into a window at a position, as far as it lies in it. */
export function copyInto(window: JobWindow, image: JobWindow, [left, top]: readonly [number, number]): void {
  const [from, to] = [Math.max(0, left), Math.min(window.width, left + image.width)]
  if (from >= to) return
  for (let y = Math.max(0, top); y < Math.min(window.height, top + image.height); y += 1) {
    const start = (y - top) * image.width - left
    window.pixels.set(
      image.pixels.subarray(4 * (start + from), 4 * (start + to)),
      4 * (y * window.width + from),
    )
  }
}

/** A layer without pixels. */
export function emptyLayer(): WindowJobLayer {
  const place = { scaleX: 1, scaleY: 1, shiftX: 0, shiftY: 0 }
  return { window: createWindow(1, 1), place: { ...place, shiftX: -1e9 }, enlarging: 'nearest' }
}
