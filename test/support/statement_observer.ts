import type { Database, Queryable } from '../../src/database/database.ts'

/** Receives the first 60 characters of a statement, and whether it runs in a transaction. */
export type OnStatement = (statement: string, isInside: boolean) => void

/** Returns a database that reports each statement before it runs. */
export function observeStatements(database: Database, onStatement: OnStatement): Database {
  const observe = <T extends Queryable>(queryable: T, isInside: boolean): T =>
    new Proxy(queryable, {
      get(target, name) {
        if (name === 'query')
          return (text: string, values?: readonly unknown[]) => {
            onStatement(text.trim().replaceAll(/\s+/g, ' ').slice(0, 60), isInside)
            return target.query(text, values)
          }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  return new Proxy(observe(database, false), {
    get(target, name) {
      if (name !== 'transaction') return Reflect.get(target, name)
      const transaction: Database['transaction'] = async (work, options) => {
        onStatement('begin', true)
        const result = await database.transaction((tx) => work(observe(tx, true)), options)
        onStatement('commit', true)
        return result
      }
      return transaction
    },
  })
}
