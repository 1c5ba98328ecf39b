import { expect, it, test } from 'vitest'
import { problem } from '../../src/contract/problems.ts'
import { isRetryable, maxAttempts, sendWithRetries } from '../../src/transfer/retry_request.ts'

test.each([
  ['http/unreachable', {}, true],
  ['http/unreachable', { data: { repeated: 3 } }, false],
  ['database/conflict', {}, true],
  ['request/in-flight', { data: { retry_after: 1 } }, true],
  ['request/in-flight', { data: { retry_after: 1, repeated: 3 } }, false],
  ['http/unexpected', { status: 502 }, true],
  ['http/unexpected', {}, false],
  ['http/timeout', {}, false],
  ['auth/too-many', {}, true],
  ['upload/guests', {}, false],
  ['resource/not-found', {}, false],
] as const)('%s with %j is sent again: %s', (code, details, isSentAgain) => {
  expect(isRetryable(problem(code, 'It failed.', details))).toBe(isSentAgain)
})

it('sends as often as the retry policy allows, and throws the last error', async () => {
  let sent = 0
  const failing = sendWithRetries(
    async () => {
      sent += 1
      throw problem('database/conflict', `It failed ${sent} times.`)
    },
    { signal: AbortSignal.timeout(60_000) },
  )
  await expect(failing).rejects.toThrow(`It failed ${maxAttempts} times.`)
  expect(sent).toBe(maxAttempts)
})
