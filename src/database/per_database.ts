import type { Database } from './database.ts'

/** Returns a function that creates a value on first use for each database, and holds it as long as the database. */
export function perDatabase<T>(create: () => T): (database: Database) => T {
  const entries = new WeakMap<Database, { readonly value: T }>()
  return (database) => {
    const entry = entries.get(database) ?? { value: create() }
    entries.set(database, entry)
    return entry.value
  }
}
