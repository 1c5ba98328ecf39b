import { describe, expect, it } from 'vitest'
import { checkText } from '../../src/pipeline/values.ts'

describe('checkText', () => {
  it.each([
    ['INTEGER', '-2147483648'],
    ['INTEGER', '+7'],
    ['BIGINT', '9223372036854775807'],
    ['REAL', '-1.5e3'],
    ['REAL', '.5'],
    ['STRING', ''],
    ['DATE', '2024-02-29'],
    ['TIME', '23:59:59'],
    ['DATETIME', '2020-01-02T10:00:00'],
    ['DATETIME', '2020-01-02 10:00:00'],
  ] as const)('takes the %s %s', (datatype, text) => {
    expect(checkText(datatype, text)).toBeUndefined()
  })

  it.each([
    ['INTEGER', '2147483648', '2147483648 is out of range'],
    ['INTEGER', '1.0', '"1.0" is not a whole number'],
    ['BIGINT', '9223372036854775808', '9223372036854775808 is out of range'],
    ['REAL', 'NaN', '"NaN" is not a number'],
    ['REAL', '1e999', '"1e999" is not a number'],
    ['STRING', 'a\0', 'text holds a NUL character'],
    ['DATE', '2023-02-29', '"2023-02-29" is not a date of the form YYYY-MM-DD'],
    ['DATE', '2023-13-01', '"2023-13-01" is not a date of the form YYYY-MM-DD'],
    ['TIME', '24:00:00', '"24:00:00" is not a time of the form HH:MM:SS'],
    ['DATETIME', '2020-01-02', '"2020-01-02" is not of the form YYYY-MM-DDTHH:MM:SS'],
  ] as const)('refuses the %s %s', (datatype, text, reason) => {
    expect(checkText(datatype, text)).toBe(reason)
  })
})
