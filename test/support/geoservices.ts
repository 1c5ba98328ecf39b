import type { Queryable } from '../../src/database/database.ts'

/** Columns of a geoservice. */
export interface NewGeoservice {
  readonly url: string
  readonly type?: string
  readonly [column: string]: unknown
}

/** Adds geoservices to the catalog, and returns their ids. */
export async function addGeoservices(
  database: Queryable,
  services: readonly NewGeoservice[],
): Promise<number[]> {
  const ids: number[] = []
  for (const service of services) {
    const row = { name: `Service ${crypto.randomUUID()}`, type: 'tms', ...service }
    const names = Object.keys(row)
    const [added] = await database.query<{ id: number }>(
      `insert into geoservice (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')}) returning id`,
      Object.values(row),
    )
    if (added !== undefined) ids.push(added.id)
  }
  return ids
}
