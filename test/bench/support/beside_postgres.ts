import type { Driver } from './both.ts'

/** How many times as slow, or as large, the figures of the embedded database may be. */
const promisedRatio = 1.5

const onPostgres = new Map<string, number>()

/** A figure of the embedded database beside that of PostgreSQL in the same run. */
export interface Beside {
  readonly ratio?: string
  readonly isWithin: boolean
}

/**
 * Compares a figure of the embedded database with that of PostgreSQL, which is measured first and remembered.
 *
 * @param cost what is better if it is less: seconds, or bytes
 */
export function besidePostgres(driver: Driver, name: string, cost: number): Beside {
  if (driver === 'postgres') onPostgres.set(name, cost)
  const other = onPostgres.get(name)
  if (driver === 'postgres' || other === undefined) return { isWithin: true }
  const ratio = cost / other
  return { ratio: `${ratio.toFixed(2)}× the cost with PostgreSQL`, isWithin: ratio <= promisedRatio }
}

/** What is promised for the embedded database. */
export const promisedBeside = `≤ ${promisedRatio}×`
