import { expect, test } from 'vitest'
import { parseAuthorization, readingsOf } from '../../../src/server/auth/credentials.ts'

const header = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const basic = (login: string, password: string) => ({ medium: 'basic', credentials: { login, password } })

test('everything after the first colon is the password', () => {
  expect(parseAuthorization(header('anna:a:b'))).toEqual(basic('anna', 'a:b'))
  expect(parseAuthorization(header('anna:'))).toEqual(basic('anna', ''))
})

test('the scheme ignores case, and credentials are UTF-8', () => {
  expect(parseAuthorization(header('ännä:ß').replace('Basic', 'bASIC'))).toEqual(basic('ännä', 'ß'))
})

test('a token is read unchanged', () => {
  expect(parseAuthorization('bearer landform_a-B_9')).toEqual({ medium: 'bearer', token: 'landform_a-B_9' })
})

test.each(['Bearer', 'Bearer a b', 'Bearer a,b', 'Basic', 'Basic %', 'Digest x', ''])(
  '%j is refused',
  (text) => {
    expect(() => parseAuthorization(text)).toThrow('The Authorization header')
  },
)

test('credentials with percent signs have two readings, unless they cannot be decoded', () => {
  expect(readingsOf({ login: 'a', password: 'b' })).toHaveLength(1)
  expect(readingsOf({ login: 'a', password: '%C3%A4' })[1]).toEqual({ login: 'a', password: 'ä' })
  expect(readingsOf({ login: 'a', password: '%FF' })).toHaveLength(1)
})
