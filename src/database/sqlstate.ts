import { type ProblemCode, problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** What the source of a copy threw, as its cause: no fault of the database. */
export class SourceFault extends Error {}

/** What the database says about a fault. @see PostgreSQL, "Error and Notice Message Fields" */
interface DatabaseFault {
  readonly message: string
  /** SQLSTATE, or the code of an error of the network. */
  readonly code?: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
}

/** SQLSTATEs, whole or by class, and what they mean to us. The first match counts. */
const meanings: readonly (readonly [pattern: RegExp, code: ProblemCode])[] = [
  [/^23/, 'database/constraint'],
  [/^40(001|P01)$/, 'database/conflict'],
  [/^(57014|25P03)$/, 'database/timeout'],
  [/^(55P03|53300)$/, 'database/busy'],
  [/^53100$/, 'files/full'],
  [/^54/, 'database/limit'],
  [/^(08(?!P01)|28|57P|3D000|58)/, 'database/unavailable'],
]

/** Turns what a driver throws into a Problem with `data.sqlstate`, and `data.constraint` where one was violated. */
export function toProblem(thrown: unknown): Problem {
  if (isProblem(thrown)) return thrown
  const fault = toFault(thrown)
  const { code, constraint, table, column, detail } = fault
  const sqlstate = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined
  if (sqlstate === undefined) return toConnectionProblem(fault, thrown)
  const [, meaning] = meanings.find(([pattern]) => pattern.test(sqlstate)) ?? []
  const facts = { sqlstate, constraint, table, column }
  const data = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined))
  // Whose statements were in each other's way is the database's own affair.
  const told = meaning === 'database/conflict' ? undefined : detail
  return problem(meaning ?? 'database/query', fault.message, { data, detail: told, cause: thrown })
}

function toFault(thrown: unknown): DatabaseFault {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return toFault(thrown.errors[0])
  return thrown instanceof Error ? thrown : { message: String(thrown) }
}

// What bears no SQLSTATE did not come from the database: the way to it failed.
function toConnectionProblem(fault: DatabaseFault, cause: unknown): Problem {
  if (cause instanceof TypeError || cause instanceof RangeError) throw cause
  if (fault.message.startsWith('timeout exceeded')) {
    return problem('database/busy', 'all connections to the database are in use', { cause })
  }
  return problem('database/unavailable', `the database cannot be reached: ${fault.message}`, { cause })
}
