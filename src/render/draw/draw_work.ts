import { problem } from '../../contract/problems.ts'

/** Adds work to that of an image; throws when it is too much, or to stop. */
export type AddWork = (work?: number) => void

/** Maximum work of a small image, in units of about a pixel that is blended. */
const leastLimit = 2e8

/** Maximum work per pixel of a large image: it may be covered this often. */
const workPerPixel = 64

/** Returns the work that an image may take, and that its expressions may take. */
export function workOf(pixels: number): number {
  return Math.max(leastLimit, pixels * workPerPixel)
}

/**
 * Creates the counter of the work of an image. Work is counted and not timed, so that an image is drawn or refused
 * whatever else the machine does.
 *
 * @param pixels number of pixels of the image
 *
 * @throws {Problem} render/too-large when the counter exceeds the limit
 */
export function createWorkCounter(pixels: number): (work: number) => void {
  let left = workOf(pixels)
  return (work) => {
    left -= work
    // Also true for sizes that are not numbers.
    if (left >= 0) return
    throw problem('render/too-large', 'Drawing the style takes too much work.', {
      hint: 'Use larger distances of patterns, markers and dashes, smaller sizes, or fewer layers of symbols.',
    })
  }
}
