import type { Database } from '../../database/database.ts'
import { findNorthFirstSrs } from '../../store/classes/known_srs.ts'

const sets = new WeakMap<Database, Promise<ReadonlySet<number>>>()

/** Returns the EPSG codes whose first axis points north; read once from each database, where they do not change. */
export function findNorthFirst(database: Database): Promise<ReadonlySet<number>> {
  const known = sets.get(database)
  if (known !== undefined) return known
  const found: Promise<ReadonlySet<number>> = findNorthFirstSrs(database)
  sets.set(database, found)
  found.catch(() => sets.delete(database))
  return found
}
