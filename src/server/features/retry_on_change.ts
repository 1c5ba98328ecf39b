import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'

/**
 * SQLSTATEs of a statement about a table that is not, or not any more, as the layer was read: the table is another one,
 * or a column has gone or is of another type.
 *
 * @see PostgreSQL, appendix A
 */
const outdated: readonly unknown[] = ['42P01', '42703', '42883', '42804', '0A000']

/** The same, said as an error within, where the table goes at the wrong moment. */
const vanished = /^(could not open relation|cache lookup failed)/

const mostTries = 5

/**
 * Makes work that reads a layer and then its features do so again where the layer has changed in between: fields come
 * and go, data is replaced, and layers are deleted. Nothing may be left of work that failed.
 */
export function steadily<A, R>(work: (request: A) => Promise<R>): (request: A) => Promise<R> {
  return async (request) => {
    for (let left = mostTries - 1; ; left -= 1) {
      try {
        return await work(request)
      } catch (error) {
        if (!isOutdated(error)) throw error
        if (left > 0) continue
        throw problem('database/conflict', 'The layer changes all the time.', { cause: error })
      }
    }
  }
}

function isOutdated(error: unknown): boolean {
  // An error within is taken for one of geometry before it gets here.
  const told = isProblem(error, 'feature/invalid') ? error.cause : error
  if (!isProblem(told, 'database/query')) return false
  return outdated.includes(told.data.sqlstate) || vanished.test(told.message)
}
