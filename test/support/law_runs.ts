import fc from 'fast-check'
import { expect } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import { recordCases } from './law_cases.ts'

/** Whether laws run with thousands of cases. */
export const isSoak = process.env.LANDFORM_SOAK !== undefined

/** Options of a test whose many cases take hours. */
export const patience = isSoak ? { timeout: 14_400_000 } : {}

/** Cases of a law about a server. The drivers have the same SQL: most cases run on PostgreSQL, which starts quicker. */
export const casesOn: Readonly<Record<Database['driver'], number>> = isSoak
  ? { postgres: 1000, pglite: 50 }
  : { postgres: 50, pglite: 3 }

/** How a law runs. */
export interface LawRuns {
  readonly seed: number
  /** Least number of cases. */
  readonly cases: number
  /** Cases of one run of the property: a run may make several in a row, each from the state that the last one left. */
  readonly steps?: number
}

/**
 * Asserts a property with a fixed seed. Shrinking repeats a property that asks a server again and again, so only a soak
 * searches for the smallest counterexample.
 */
export async function assertLaw<Values>(
  property: fc.IAsyncProperty<Values>,
  { seed, cases, steps = 1 }: LawRuns,
): Promise<void> {
  const reporter = isSoak ? { reporter: reportCases<Values>(steps) } : {}
  await fc.assert(property, {
    seed,
    numRuns: Math.ceil(cases / steps),
    endOnFailure: !isSoak,
    ...reporter,
  })
}

/** Returns a reporter that records the cases of a law, and fails if the law failed. */
export function reportCases<Values>(steps = 1): (details: fc.RunDetails<Values>) => void {
  return (details) => {
    const { testPath = '', currentTestName = '' } = expect.getState()
    recordCases({ file: testPath, law: currentTestName, cases: details.numRuns * steps })
    if (details.failed) throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance })
  }
}

/** A list of values for the steps of a run. */
export function stepsOf<T>(value: fc.Arbitrary<T>, steps: number): fc.Arbitrary<T[]> {
  return fc.array(value, { minLength: steps, maxLength: steps })
}
