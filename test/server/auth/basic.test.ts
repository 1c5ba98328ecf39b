import { expect, test } from 'vitest'
import { parseBasic, readingsOf } from '../../../src/server/auth/basic.ts'

const header = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('everything after the first colon is the password', () => {
  expect(parseBasic(header('anna:a:b'))).toEqual({ login: 'anna', password: 'a:b' })
  expect(parseBasic(header('anna:'))).toEqual({ login: 'anna', password: '' })
})

test('the scheme is read in any case, the text as UTF-8', () => {
  expect(parseBasic(header('ännä:ß').replace('Basic', 'bASIC'))).toEqual({ login: 'ännä', password: 'ß' })
})

test('credentials with percent signs have two readings, unless they cannot be decoded', () => {
  expect(readingsOf({ login: 'a', password: 'b' })).toHaveLength(1)
  expect(readingsOf({ login: 'a', password: '%C3%A4' })[1]).toEqual({ login: 'a', password: 'ä' })
  expect(readingsOf({ login: 'a', password: '%FF' })).toHaveLength(1)
})
