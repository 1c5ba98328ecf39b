import type { Database } from '../../database/database.ts'
import { type ForeignWork, foreignProblem } from './database_fault.ts'

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
