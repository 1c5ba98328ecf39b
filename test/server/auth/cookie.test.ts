import { expect, test } from 'vitest'
import { endedCookie, findSessionSecret, sessionCookie } from '../../../src/server/auth/credentials.ts'

test.each([
  ['landform=abc', 'abc'],
  ['a=1; landform=abc; b=2', 'abc'],
  ['a=1;landform=abc', 'abc'],
  ['landform=abc; landform=def', 'abc'],
  ['notlandform=abc', undefined],
  ['landform=', undefined],
  ['landform', undefined],
  ['', undefined],
  [undefined, undefined],
])('%j contains the session %j', (cookie, secret) => {
  expect(findSessionSecret({ cookie, secure: false })).toBe(secret)
})

test('the cookie of https has a name that no neighbouring host can set, and is not sent elsewhere', () => {
  expect(sessionCookie('abc', { seconds: 60, secure: true })).toBe(
    '__Host-landform=abc; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure',
  )
  expect(findSessionSecret({ cookie: 'landform=evil; __Host-landform=abc', secure: true })).toBe('abc')
  expect(findSessionSecret({ cookie: 'landform=evil', secure: true })).toBeUndefined()
  expect(endedCookie(false)).toBe('landform=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax')
})
