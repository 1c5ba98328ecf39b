import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'

/** Gives SQL that brings a geometry from one reference system to another, both EPSG codes. */
export function transformSql(geometry: string, from: number, to: number): string {
  return from === to ? geometry : `ST_Transform(${geometry}, ${Math.trunc(to)})`
}

/**
 * Checks that the database knows a reference system.
 *
 * @throws {Problem} request/invalid
 */
export async function checkSrs(tx: Queryable, srs: number): Promise<void> {
  // What is too great for a number of the database is the code of none.
  const rows = Number.isSafeInteger(srs)
    ? await tx.query('select from spatial_ref_sys where srid = $1::bigint', [srs])
    : []
  if (rows.length === 0) throw problem('request/invalid', `srs: there is no reference system EPSG:${srs}`)
}

/**
 * Gives the error that a statement with geometry of a client ended in, as one of the client where PostGIS refused the
 * geometry: positions that have no place in the reference system, for one.
 */
export function geometryProblem(error: unknown): unknown {
  if (!isProblem(error, 'database/query') && !isProblem(error, 'external/database')) return error
  const { sqlstate } = error.data
  if (sqlstate === 'XX000')
    return problem('feature/invalid', `bad geometry: ${error.message}`, { cause: error })
  const isData = typeof sqlstate === 'string' && sqlstate.startsWith('22')
  return isData ? problem('feature/invalid', error.message, { cause: error }) : error
}
