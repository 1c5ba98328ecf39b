import { maxResourceId } from '../../contract/limits.ts'

/** Tells whether a number can be the id of a resource; what the database cannot hold is none. */
export function isResourceId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxResourceId
}
