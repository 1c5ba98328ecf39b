import { problem } from '../../contract/problems.ts'

/** Work of an operation with operands: that of blending some pixels. All that is allowed takes some ten seconds. */
export const operationWork = 8

/** Work that is left, in units of about a pixel that is blended, or sixteen characters that are joined. */
let left = Number.POSITIVE_INFINITY

/**
 * Sets the work that the expressions of this thread may take from now on. Work is counted and not timed, so that an image is
 * drawn or refused whatever else the machine does.
 */
export function allowExpressionWork(work: number): void {
  left = work
}

/** Runs a function whose expressions may take some work. */
export function withExpressionWork<T>(work: number, run: () => T): T {
  return new ExpressionBudget(work).run(run)
}

/** Work that the expressions of several functions may take together. */
export class ExpressionBudget {
  /** Work that is left. */
  left: number

  constructor(work: number) {
    this.left = work
  }

  /**
   * Runs a function.
   *
   * @throws {Problem} render/too-large if its expressions need more work than is left
   */
  run<T>(work: () => T): T {
    const before = left
    left = this.left
    try {
      return work()
    } finally {
      this.left = left
      left = before
    }
  }
}

/**
 * Counts work of an expression.
 *
 * @throws {Problem} render/too-large if no more is left
 */
export function countExpressionWork(work: number): void {
  left -= work
  if (left < 0)
    throw problem('render/too-large', 'Evaluating the expressions of the style takes too much work.', {
      hint: 'Use shorter expressions, fewer rules, or a larger scale.',
    })
}
