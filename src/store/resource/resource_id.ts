const largest = 2 ** 31 - 1

/** Returns whether a number can be the id of a resourcein the database. */
export function isResourceId(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= largest
}
