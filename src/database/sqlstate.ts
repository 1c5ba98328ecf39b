import { type ProblemCode, problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'

/** An error of the source of a COPY (its `cause`), not of the database. */
export class SourceFault extends Error {}

/** Fields of a database error. @see PostgreSQL, "Error and Notice Message Fields" */
interface DatabaseFault {
  readonly message: string
  /** SQLSTATE, or the code of a network error. */
  readonly code?: string
  readonly constraint?: string
  readonly table?: string
  readonly column?: string
  readonly detail?: string
}

/** Problem codes by SQLSTATE or class; the first match applies. */
const problemCodes: readonly (readonly [pattern: RegExp, code: ProblemCode])[] = [
  [/^23/, 'database/constraint'],
  [/^40(001|P01)$/, 'database/conflict'],
  [/^(57014|25P03)$/, 'database/timeout'],
  [/^(55P03|53300)$/, 'database/busy'],
  [/^53100$/, 'files/full'],
  [/^54/, 'database/limit'],
  [/^(08(?!P01)|28|57P|3D000|58)/, 'database/unavailable'],
]

/** Converts an error of a driver to a Problem with `data.sqlstate`, and `data.constraint` if one was violated. */
export function toProblem(thrown: unknown): Problem {
  if (isProblem(thrown)) return thrown
  const fault = toFault(thrown)
  const { code, constraint, table, column, detail } = fault
  const sqlstate = code !== undefined && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined
  if (sqlstate === undefined) return toConnectionProblem(fault, thrown)
  const [, problemCode] = problemCodes.find(([pattern]) => pattern.test(sqlstate)) ?? []
  const facts = { sqlstate, constraint, table, column }
  const data = Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined))
  // The detail of a conflict names internal process ids and statements.
  const shownDetail = problemCode === 'database/conflict' ? undefined : detail
  return problem(problemCode ?? 'database/query', fault.message, { data, detail: shownDetail, cause: thrown })
}

function toFault(thrown: unknown): DatabaseFault {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return toFault(thrown.errors[0])
  return thrown instanceof Error ? thrown : { message: String(thrown) }
}

// An error without SQLSTATE is an error of the connection.
function toConnectionProblem(fault: DatabaseFault, cause: unknown): Problem {
  if (cause instanceof TypeError || cause instanceof RangeError) throw cause
  if (fault.message.startsWith('timeout exceeded')) {
    return problem('database/busy', 'all connections to the database are in use', { cause })
  }
  return problem('database/unavailable', `cannot connect to the database: ${fault.message}`, { cause })
}
