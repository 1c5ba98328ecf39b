import { expect, test } from 'vitest'
import { addMissing, emptyScan } from '../../src/gdal/import/feature_scan.ts'
import type { Missing, MissingFeature } from '../../src/gdal/sources/missing.ts'

const absent = (number: number): MissingFeature => ({ number, reason: 'it has no geometry', isAbsent: true })
const missing = (...first: MissingFeature[]): Missing => {
  return { first, keys: [], absentCount: first.filter(({ isAbsent }) => isAbsent).length }
}
const bad = (...numbers: number[]) => numbers.map((number) => ({ number, reason: 'a ring is not closed' }))
const numbersOf = (scan: { bad: readonly { number: number }[] }) => scan.bad.map(({ number }) => number)

test('features are numbered by their position in the source, including missing ones', () => {
  // Source: 1 absent, 2, 3 bad, 4 absent, 5 absent, 6 bad.
  const scan = { ...emptyScan, bad: bad(2, 3), badCount: 2 }
  const whole = addMissing(scan, missing(absent(1), absent(4), absent(5)))
  expect(numbersOf(whole)).toEqual([1, 3, 4, 5, 6])
  expect(whole.badCount).toBe(5)
})

test('features with null geometries get the more specific reason and are counted once', () => {
  const misplaced = { number: 2, reason: 'outside', isMisplaced: true, isAbsent: false }
  const whole = addMissing({ ...emptyScan, bad: bad(2), badCount: 1 }, missing(misplaced))
  expect(whole).toMatchObject({ badCount: 1, bad: [{ number: 2, reason: 'outside', isMisplaced: true }] })
})

test('the first ten bad features are listed', () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1)
  const whole = addMissing({ ...emptyScan, bad: bad(1, 2), badCount: 2 }, missing(...numbers.map(absent)))
  expect(numbersOf(whole)).toEqual(numbers.slice(0, 10))
  expect(whole.badCount).toBe(14)
})
