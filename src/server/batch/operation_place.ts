import { isProblem, withData } from '../../core/problem.ts'

/** Position of an operation in its batch. */
export interface OperationPlace {
  readonly index: number
  /** Local name of what it creates. */
  readonly name?: string | undefined
}

/** Runs work for one operation, and adds the operation to its Problem. */
export function atOperation<T>(place: OperationPlace, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw addOperation(error, place)
  }
}

/** Adds the index and local name of an operation to a Problem. */
export function addOperation(error: unknown, { index, name }: OperationPlace): unknown {
  if (!isProblem(error)) return error
  return withData(error, { operation: index, ...(name === undefined ? {} : { name }) })
}
