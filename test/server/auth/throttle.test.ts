import { expect, test } from 'vitest'
import { isProblem } from '../../../src/core/problem.ts'
import { createThrottle } from '../../../src/server/auth/throttle.ts'

const begin = (throttle: ReturnType<typeof createThrottle>, key: string): number => {
  try {
    throttle.begin(key)
    return 0
  } catch (error) {
    if (!isProblem(error, 'auth/too-many')) throw error
    return Number(error.data.retry_after)
  }
}

test('five attempts are free, then the wait doubles up to five minutes', () => {
  let nowMs = 0
  const throttle = createThrottle(() => nowMs)
  for (let at = 0; at < 5; at += 1) expect(begin(throttle, 'a')).toBe(0)
  const waits = []
  for (let at = 0; at < 11; at += 1) {
    const wait = begin(throttle, 'a')
    waits.push(wait)
    nowMs += wait * 1000
    expect(begin(throttle, 'a')).toBe(0)
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
})

test('one that succeeds starts anew, and others are not touched', () => {
  const throttle = createThrottle(() => 0)
  for (let at = 0; at < 5; at += 1) throttle.begin('a')
  expect(begin(throttle, 'b')).toBe(0)
  expect(begin(throttle, 'a')).toBe(1)
  throttle.succeed('a')
  expect(begin(throttle, 'a')).toBe(0)
})
