import { expect, test } from 'vitest'
import { type Failure, maxFailures, recordFailure } from '../../src/web/failed_loads.ts'

test('the oldest of too many failed loads is dropped, and told so', () => {
  const dropped: string[] = []
  const failed = new Map<string, Failure>()
  const fail = (key: string) =>
    recordFailure(failed, key, { run: async () => {}, onDropped: () => dropped.push(key), error: 'gone' })
  for (let at = 0; at < maxFailures; at++) fail(`${at}`)
  expect(dropped).toEqual([])
  // One that fails again is the latest; one that has loaded is forgotten.
  fail('0')
  recordFailure(failed, '1', undefined)
  fail('more')
  expect(dropped).toEqual([])
  fail('too many')
  expect(dropped).toEqual(['2'])
  expect([failed.size, [...failed.keys()].at(-1)]).toEqual([maxFailures, 'too many'])
})
