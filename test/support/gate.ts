import type { Database } from '../../src/database/database.ts'

/** A gate in front of a database, initially open: while it is shut, statements that match a pattern wait. */
export interface Gate {
  /** The database behind the gate. */
  readonly database: Database
  /** Holds matching statements from now on. `reached` resolves when the first one waits. */
  shut(): { readonly reached: Promise<void> }
  /** Releases the waiting statements and all later ones. */
  open(): void
}

/** COPY statements into a table. */
export const copies = /^copy /

/**
 * Creates a gate in front of a database, so that a test can act while work is known to be in progress. Statements in
 * transactions are not held.
 */
export function makeGate(database: Database, pattern: RegExp): Gate {
  let shut: { reached: PromiseWithResolvers<void>; opened: PromiseWithResolvers<void> } | undefined
  const pass = async (statement: string) => {
    if (shut === undefined || !pattern.test(statement)) return
    shut.reached.resolve()
    await shut.opened.promise
  }
  const gated: Database = {
    driver: database.driver,
    schema: database.schema,
    query: async (text, values, options) => {
      await pass(text)
      return database.query(text, values, options)
    },
    copyIn: async (statement, chunks) => {
      await pass(statement)
      return database.copyIn(statement, chunks)
    },
    copyOut: (select, values, format) => database.copyOut(select, values, format),
    transaction: (work, options) => database.transaction(work, options),
    listen: (...subscription) => database.listen(...subscription),
    onWrite: (callback) => database.onWrite(callback),
    close: () => database.close(),
  }
  return {
    database: gated,
    shut: () => {
      shut = { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() }
      return { reached: shut.reached.promise }
    },
    open: () => {
      shut?.opened.resolve()
      shut = undefined
    },
  }
}
