import { expect, test } from 'vitest'
import { isProblem } from '../../../src/core/problem.ts'
import { createGuard, createThrottle, type Guard } from '../../../src/server/auth/login_guard.ts'

/** Seconds that somebody is told to wait; 0 where the attempt is let through. */
const waitOf = (attempt: () => void): number => {
  try {
    attempt()
    return 0
  } catch (error) {
    if (!isProblem(error, 'auth/too-many')) throw error
    return Number(error.data.retry_after)
  }
}

test('free attempts have no delay, then the delay doubles up to the maximum', () => {
  let nowMs = 0
  const throttle = createThrottle({ freeAttempts: 5, maxWaitMs: 300_000 }, () => nowMs)
  const attempt = () => {
    throttle.check('a')
    throttle.count('a')
  }
  for (let at = 0; at < 5; at += 1) expect(waitOf(attempt)).toBe(0)
  const waits = []
  for (let at = 0; at < 11; at += 1) {
    const wait = waitOf(attempt)
    waits.push(wait)
    nowMs += wait * 1000
    expect(waitOf(attempt)).toBe(0)
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
})

const begin = (guard: Guard, login: string, address: string) => waitOf(() => guard.begin({ login, address }))

test('guessing a login is delayed for its address, but not for the user elsewhere', () => {
  const guard = createGuard(() => 0)
  for (let at = 0; at < 5; at += 1) expect(begin(guard, 'anna', '10.0.0.1')).toBe(0)
  expect(begin(guard, 'Anna', '10.0.0.1')).toBe(1)
  expect(begin(guard, 'anna', '10.0.0.2')).toBe(0)
  expect(begin(guard, 'bob', '10.0.0.1')).toBe(0)
})

test('a successful attempt resets the count', () => {
  const guard = createGuard(() => 0)
  for (let at = 0; at < 5; at += 1) begin(guard, 'anna', '10.0.0.1')
  guard.succeed({ login: 'anna', address: '10.0.0.1' })
  expect(begin(guard, 'anna', '10.0.0.1')).toBe(0)
})

test('trying one password on many logins is delayed too, and a success does not reset it', () => {
  const guard = createGuard(() => 0)
  for (let at = 0; at < 99; at += 1) expect(begin(guard, `user${at}`, '10.0.0.1')).toBe(0)
  begin(guard, 'own', '10.0.0.1')
  guard.succeed({ login: 'own', address: '10.0.0.1' })
  expect(begin(guard, 'user100', '10.0.0.1')).toBe(0)
  expect(begin(guard, 'user101', '10.0.0.1')).toBe(1)
  expect(begin(guard, 'user101', '10.0.0.2')).toBe(0)
})

test('successful logins from one address are never delayed', () => {
  const guard = createGuard(() => 0)
  for (let at = 0; at < 500; at += 1) {
    expect(begin(guard, `user${at}`, '10.0.0.1')).toBe(0)
    guard.succeed({ login: `user${at}`, address: '10.0.0.1' })
  }
})

test('all addresses of one IPv6 network count as one', () => {
  const guard = createGuard(() => 0)
  for (let at = 0; at < 5; at += 1) expect(begin(guard, 'anna', `2001:db8:0:1::${at + 1}`)).toBe(0)
  expect(begin(guard, 'anna', '2001:db8:0:1:ffff::9')).toBe(1)
  expect(begin(guard, 'anna', '2001:db8:0:2::1')).toBe(0)
})

test('unknown tokens are delayed after a hundred attempts', () => {
  const guard = createGuard(() => 0)
  for (let at = 0; at < 100; at += 1) expect(waitOf(() => guard.miss('10.0.0.1'))).toBe(0)
  expect(waitOf(() => guard.miss('10.0.0.1'))).toBe(1)
  expect(waitOf(() => guard.miss('10.0.0.2'))).toBe(0)
})
