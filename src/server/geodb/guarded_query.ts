import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Database } from '../../database/database.ts'
import type { ForeignTable } from '../../store/layer/stored_layer.ts'

/** Most milliseconds that reading a whole table may take. */
const wholeTableMs = 600_000

/**
 * Gives a foreign database that says what failed in the words of its connection and table, be it that it cannot be opened.
 * Statements are not kept: what they give changes when somebody changes the table.
 *
 * @param open gives the database; asked for each piece of work
 */
export function guardForeign(open: () => Database, work: Omit<ForeignWork, 'writes'>): Database {
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
    query: (text, values) => guard(false, (database) => database.query<never>(text, values)),
    copyIn: (statement, chunks) => guard(true, (database) => database.copyIn(statement, chunks)),
    async *copyOut(select, values, format) {
      try {
        yield* open().copyOut(select, values, format)
      } catch (error) {
        throw foreignProblem(error, { ...work, writes: false })
      }
    },
    transaction(run, options = {}) {
      const { readOnly = false } = options
      const limit = readOnly ? { statementTimeoutMs: wholeTableMs } : {}
      return guard(!readOnly, (database) => database.transaction(run, { ...limit, ...options }))
    },
    listen: (channel, onNotify) => open().listen(channel, onNotify),
    close: () => open().close(),
  }
}

/** What was being done when a foreign database failed. */
interface ForeignWork {
  /** Resource id of the connection. */
  readonly connectionId: number
  /** The table that was asked for; none where the database itself was. */
  readonly table?: Pick<ForeignTable, 'schema' | 'table'> | undefined
  readonly writes: boolean
}

/** What failures to connect mean, by SQLSTATE or the code of the network. */
const reasons: Readonly<Record<string, string>> = {
  '28P01': 'the login is refused',
  '28000': 'the login is refused',
  '3D000': 'there is no database of that name',
  '42501': 'the login may not connect',
  '53300': 'the database has no connection left',
  '57P01': 'the database was stopped',
  '57P02': 'the database was stopped',
  '57P03': 'the database is starting or stopping',
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the host cannot be looked up',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
  ETIMEDOUT: 'nobody answers',
}

/** SQLSTATEs of writes that the table does not take from anybody, or not from this login. */
const readOnly = /^(42501|42809|428C9|25006|55000|0A000)$/

/** SQLSTATEs of values that the table refuses: constraints, data, what a trigger says. */
const refused = /^(22|23|P0001)/

/** SQLSTATEs of reads of what is not as it was: a name that is gone, a type that is another, a right that was taken away. */
const changed = /^(22|42|3F000)/

/**
 * Gives the error that work in a foreign database ended in, in the words of its connection and table: never as a failure
 * of our own database. What is no error of a database stays as it is.
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
  if (/timeout/.test(text)) return 'nobody answers in time'
  if (/password must be/.test(text)) return 'the login needs a password'
  return /SSL|certificate|self.signed|TLS/i.test(text) ? text : 'the connection was cut'
}

function codeOf(cause: unknown): string {
  const code = cause instanceof AggregateError ? codeOf(cause.errors[0]) : undefined
  if (code !== undefined && code !== '') return code
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}
