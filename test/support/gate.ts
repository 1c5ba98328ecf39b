import type { Database } from '../../src/database/database.ts'

/** A gate in front of a database, open at first: once it is shut, statements that a pattern matches wait there. */
export interface Gate {
  /** The same database, seen through the gate. */
  readonly database: Database
  /** Lets no more statements pass. The promise that it gives resolves when the first one waits. */
  shut(): { readonly reached: Promise<void> }
  /** Lets the waiting statements and all later ones pass. */
  open(): void
}

/** Copies of rows into a table. */
export const copies = /^copy /

/**
 * Puts a gate in front of a database, so that a test can act while work is certain to be under way. Statements inside of
 * transactions are not stopped.
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
    listen: (channel, onNotify) => database.listen(channel, onNotify),
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
