import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Database } from '../../database/database.ts'
import type { ForeignTable } from '../../store/layer/stored_layer.ts'

/** Maximum duration of reading a table, of which rows arrive at least within the statement timeout of the database. */
const wholeTableMs = 600_000

/**
 * Wraps an external database so that errors name its connection and table, also if it cannot be opened. Statements are
 * not prepared, since their result types change with the table.
 *
 * @param open returns the database; called for each operation
 */
export function guardForeign(open: () => Database, work: Omit<ForeignWork, 'writes'>): Database {
  const { table: name } = work
  // Must not take all connections from the other tables of the database.
  const table = name === undefined ? undefined : JSON.stringify([name.schema, name.table])
  const guard = async <T>(writes: boolean, run: (database: Database) => Promise<T>): Promise<T> => {
    try {
      return await run(open())
    } catch (error) {
      throw foreignProblem(error, { ...work, writes })
    }
  }
  return {
    driver: 'postgres',
    schema: '',
    query: (text, values, { signal } = {}) =>
      guard(false, (database) => database.query<never>(text, values, { signal, table })),
    copyIn: (statement, chunks) => guard(true, (database) => database.copyIn(statement, chunks)),
    async *copyOut(select, values, options) {
      try {
        yield* open().copyOut(select, values, { ...options, table })
      } catch (error) {
        throw foreignProblem(error, { ...work, writes: false })
      }
    },
    transaction(run, options = {}) {
      const { readOnly = false } = options
      const limit = readOnly ? { statementTimeoutMs: wholeTableMs } : {}
      return guard(!readOnly, (database) => database.transaction(run, { ...limit, ...options, table }))
    },
    listen: (...subscription) => open().listen(...subscription),
    onWrite: (callback) => open().onWrite(callback),
    close: () => open().close(),
  }
}

/** The operation that an external database failed in. */
interface ForeignWork {
  /** Resource id of the connection. */
  readonly connectionId: number
  /** The table of the operation; undefined for operations on the database. */
  readonly table?: Pick<ForeignTable, 'schema' | 'table'> | undefined
  readonly writes: boolean
}

/** Reasons for connection failures, by SQLSTATE or system error code. */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'authentication failed',
  '28000': 'authentication failed',
  '3D000': 'the database does not exist',
  '42501': 'the user has no permission to connect',
  '53300': 'the database has too many connections',
  '55P03': 'it is locked by another transaction',
  '57P01': 'the database was shut down',
  '57P02': 'the database was shut down',
  '57P03': 'the database is starting up or shutting down',
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the host name cannot be resolved',
  ECONNRESET: 'the connection was closed',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the host is unreachable',
  ETIMEDOUT: 'the connection timed out',
}

/** SQLSTATEs of writes that the table does not support, or not for this user. */
const readOnly = /^(42501|42809|428C9|25006|55000|0A000)$/

/** SQLSTATEs of rejected values: constraints, data, exceptions of triggers. */
const refused = /^(22|23|P0001)/

/** SQLSTATEs of reads after a change of the table: a dropped name, another type, a revoked permission. */
const changed = /^(42|3F000)/

/** SQLSTATEs of reads of rows that the table or view cannot compute: data, subqueries, exceptions of functions. */
const unreadable = /^(21|22|2F|38|39|P0)/

/**
 * Converts an error of an external database so that it names connection and table, and is not mistaken for a failure of
 * the server's own database. Returns other errors unchanged.
 */
function foreignProblem(error: unknown, work: ForeignWork): unknown {
  if (!isProblem(error) || !error.code.startsWith('database/')) return error
  if (error.code === 'database/conflict') return error
  const { sqlstate = '' } = error.data as { sqlstate?: string }
  if (work.writes && refused.test(sqlstate))
    return problem('feature/invalid', error.message, { cause: error })
  if (work.writes && readOnly.test(sqlstate))
    return problem(
      'external/read-only',
      `${nameOf(work)} cannot be written: ${error.message}`,
      details(error, work),
    )
  if (changed.test(sqlstate))
    return problem('external/table', `${nameOf(work)} cannot be read: ${error.message}`, details(error, work))
  if (unreadable.test(sqlstate))
    return problem('external/query', `${nameOf(work)} cannot be read: ${error.message}`, details(error, work))
  return problem('external/database', `${nameOf(work)}: ${reasonOf(error, sqlstate)}.`, details(error, work))
}

function details(cause: Problem, { connectionId }: ForeignWork) {
  const { sqlstate } = cause.data
  return {
    cause,
    data: { connection: { id: connectionId }, ...(sqlstate === undefined ? {} : { sqlstate }) },
  }
}

function nameOf({ connectionId, table }: ForeignWork): string {
  const database = `the database of connection id = ${connectionId}`
  if (table === undefined) return `T${database.slice(1)}`
  return `Table "${table.schema}"."${table.table}" in ${database}`
}

function reasonOf(error: Problem, sqlstate: string): string {
  const known = reasons[sqlstate] ?? reasons[codeOf(error.cause)]
  if (known !== undefined) return known
  if (error.code !== 'database/unavailable') return error.message
  const text = error.cause instanceof Error ? error.cause.message : ''
  if (/timeout/.test(text)) return 'the connection timed out'
  if (/password must be/.test(text)) return 'the user needs a password'
  return /SSL|certificate|self.signed|TLS/i.test(text) ? text : 'the connection was closed'
}

function codeOf(cause: unknown): string {
  const code = cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined
  if (code !== undefined && code !== '') return code
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
