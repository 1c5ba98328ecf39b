import { maxResourceId } from '../../contract/limits.ts'

/** Returns whether a number can be the id of a resourcein the database. */
export function isResourceId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxResourceId
}
