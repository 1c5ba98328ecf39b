import { expect, test } from 'vitest'
import { startDeadline } from '../../src/core/deadline.ts'
import { countTimers } from '../support/timers.ts'

test('a deadline aborts its signal, as a time-out', async () => {
  const { signal } = startDeadline(0.5)
  await new Promise((resolve) => signal.addEventListener('abort', resolve))
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

test('an ended deadline has no timer and is never aborted', () => {
  const before = countTimers()
  const deadlines = Array.from({ length: 100 }, () => startDeadline(1_000_000))
  for (const deadline of deadlines) deadline.end()
  expect(countTimers()).toBe(before)
  expect(deadlines.some(({ signal }) => signal.aborted)).toBe(false)
})
