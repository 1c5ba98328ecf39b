import type { Database, Queryable } from '../../src/database/database.ts'

/** Takes the beginning of a statement, and whether it was asked inside a transaction. */
export type Tell = (statement: string, isInside: boolean) => void

/** Gives a database that tells what it is asked. */
export function listening(database: Database, tell: Tell): Database {
  const hear = <T extends Queryable>(queryable: T, isInside: boolean): T =>
    new Proxy(queryable, {
      get(target, name) {
        if (name === 'query')
          return (text: string, values?: readonly unknown[]) => {
            tell(text.trim().replaceAll(/\s+/g, ' ').slice(0, 60), isInside)
            return target.query(text, values)
          }
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  return new Proxy(hear(database, false), {
    get(target, name) {
      if (name !== 'transaction') return Reflect.get(target, name)
      const transaction: Database['transaction'] = async (work, options) => {
        tell('begin', true)
        const result = await database.transaction((tx) => work(hear(tx, true)), options)
        tell('commit', true)
        return result
      }
      return transaction
    },
  })
}
