import { problem } from '../../contract/problems.ts'

/** Adds work to that of an image; throws when it is too much, or to stop. */
export type AddWork = (work?: number) => void

/**
 * Maximum work of an image, in units of about a pixel that is blended. Ordinary maps need less than a hundredth of it; a thread
 * does it in a few seconds.
 */
const maxWork = 1e9

/**
 * Creates the counter of the work of an image. Work is counted and not timed, so that an image is drawn or refused
 * whatever else the machine does.
 *
 * @throws {Problem} render/too-large when the counter exceeds the limit
 */
export function createWorkCounter(limit = maxWork): (work: number) => void {
  let left = limit
  return (work) => {
    left -= work
    // Also true for sizes that are not numbers.
    if (left >= 0) return
    throw problem('render/too-large', 'Drawing the style takes too much work.', {
      hint: 'Use larger distances of patterns, markers and dashes, smaller sizes, or fewer layers of symbols.',
    })
  }
}
