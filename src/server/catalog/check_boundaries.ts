import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import type { Boundary } from '../../geo/boundary.ts'
import { findInvalidBoundary } from '../../store/catalog/write_record.ts'
import { findKnownSrs } from '../../store/classes/known_srs.ts'
import { geometryProblem } from '../../store/feature/feature_sql.ts'
import { atOperation } from '../batch/operation_place.ts'
import type { Operation } from './catalog_operation.ts'
import { invalidMember, readBoundary } from './record_content.ts'

interface Given {
  readonly index: number
  readonly boundary: Boundary
}

/**
 * Checks the boundaries of a batch before its transaction begins, which an error would end.
 *
 * @throws {Problem} catalog/invalid, with the operation
 */
export async function checkBoundaries(database: Queryable, operations: readonly Operation[]): Promise<void> {
  const given = operations.flatMap(({ index, members: { boundary: text } }) =>
    typeof text === 'string' ? [{ index, boundary: atOperation({ index }, () => readBoundary(text)) }] : [],
  )
  if (given.length === 0) return
  await checkReferenceSystems(database, given)
  await checkShapes(database, given)
}

async function checkReferenceSystems(database: Queryable, given: readonly Given[]): Promise<void> {
  const known = await findKnownSrs(database, [...new Set(given.map(({ boundary }) => boundary.srs))])
  const unknown = given.find(({ boundary }) => !known.has(boundary.srs))
  if (unknown !== undefined) refuse(unknown, `unknown reference system EPSG:${unknown.boundary.srs}`)
}

/** Checks boundaries together, and halves the list where PostGIS fails, until the boundary is found. */
async function checkShapes(database: Queryable, given: readonly Given[]): Promise<void> {
  const [first] = given
  if (first === undefined) return
  const list = given.map(({ boundary }) => boundary)
  const fault = await findInvalidBoundary(database, list).catch((error: unknown) => {
    const found = geometryProblem(error)
    if (isProblem(found, 'feature/invalid')) return found.message
    throw error
  })
  if (fault === undefined) return
  if (typeof fault === 'object') return refuse(given[fault.at] ?? first, fault.reason)
  if (given.length === 1) return refuse(first, fault)
  const half = Math.ceil(given.length / 2)
  await checkShapes(database, given.slice(0, half))
  await checkShapes(database, given.slice(half))
}

function refuse({ index }: Given, reason: string): never {
  return atOperation({ index }, () => {
    throw invalidMember('boundary', reason)
  })
}
