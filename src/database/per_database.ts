import type { Database } from './database.ts'

/** Makes something once for each database that it is asked for, and forgets it with the database. */
export function perDatabase<T>(make: () => T): (database: Database) => T {
  const made = new WeakMap<Database, { readonly thing: T }>()
  return (database) => {
    const known = made.get(database) ?? { thing: make() }
    made.set(database, known)
    return known.thing
  }
}
