import type { Database } from '../../database/database.ts'
import { type ForeignWork, foreignProblem } from './fault.ts'

/** Most milliseconds that reading a whole table may take. */
const wholeTableMs = 600_000

/**
 * Gives a foreign database that says what failed in the words of its connection and table. Statements are not kept: what
 * they give changes when somebody changes the table.
 */
export function guardForeign(database: Database, work: Omit<ForeignWork, 'writes'>): Database {
  const explain = (writes: boolean) => (error: unknown) => {
    throw foreignProblem(error, { ...work, writes })
  }
  return {
    driver: database.driver,
    schema: database.schema,
    query: (text, values) => database.query<never>(text, values).catch(explain(false)),
    copyIn: (statement, chunks) => database.copyIn(statement, chunks).catch(explain(true)),
    async *copyOut(select, values) {
      try {
        yield* database.copyOut(select, values)
      } catch (error) {
        throw foreignProblem(error, { ...work, writes: false })
      }
    },
    transaction(run, options = {}) {
      const { readOnly = false } = options
      const limit = readOnly ? { statementTimeoutMs: wholeTableMs } : {}
      return database.transaction(run, { ...limit, ...options }).catch(explain(!readOnly))
    },
    listen: (channel, onNotify) => database.listen(channel, onNotify),
    close: () => database.close(),
  }
}
