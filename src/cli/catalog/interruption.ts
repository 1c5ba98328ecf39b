import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'

/** Gives the interruption of a command for the catalog a code of its own, and says what was done. */
export async function nameInterruption<T>(work: Promise<T>, message: string): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isProblem(error, 'pipeline/interrupted') ? problem('catalog/interrupted', message) : error
  }
}
