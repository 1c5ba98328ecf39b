import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'

/** Returns SQL that transforms a geometry between reference systems, given as EPSG codes. */
export function transformSql(geometry: string, from: number, to: number): string {
  return from === to ? geometry : `ST_Transform(${geometry}, ${Math.trunc(to)})`
}

/**
 * Makes sure that the database supports a reference system.
 *
 * @throws {Problem} request/invalid
 */
export async function requireSrs(tx: Queryable, srs: number): Promise<void> {
  // Larger numbers would fail in the database.
  const rows = Number.isSafeInteger(srs)
    ? await tx.query('select from spatial_ref_sys where srid = $1::bigint', [srs])
    : []
  if (rows.length === 0) throw problem('request/invalid', `srs: unknown reference system EPSG:${srs}`)
}

/**
 * Converts the error of a statement with client geometry into feature/invalid if PostGIS rejected the geometry, for
 * example coordinates outside the reference system.
 */
export function geometryProblem(error: unknown): unknown {
  if (!isProblem(error, 'database/query') && !isProblem(error, 'external/database')) return error
  const { sqlstate } = error.data
  if (sqlstate === 'XX000')
    return problem('feature/invalid', `invalid geometry: ${error.message}`, { cause: error })
  const isData = typeof sqlstate === 'string' && sqlstate.startsWith('22')
  return isData ? problem('feature/invalid', error.message, { cause: error }) : error
}
