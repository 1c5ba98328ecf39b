import { expect, it } from 'vitest'
import { maxStringBytes } from '../../src/contract/limits.ts'
import { findTextFault } from '../../src/pipeline/checked_table.ts'
import { parseFieldValue } from '../../src/store/feature/field_value.ts'

it.each([
  ['INTEGER', '2147483647', undefined],
  ['INTEGER', '2147483648', '"2147483648" is not a 32-bit integer'],
  ['REAL', 'NaN', '"NaN" is not a finite number'],
  ['STRING', 'a\0', 'contains a character that cannot be stored'],
  ['DATE', '2023-02-29', '"2023-02-29" is not a date, such as 2020-01-31'],
  ['DATETIME', '2020-01-02T10:00Z', undefined],
] as const)('says of the %s %j what is wrong with it: %j', (datatype, text, fault) => {
  expect(findTextFault(datatype, text)).toBe(fault)
})

it('limits the size of strings everywhere, in bytes', () => {
  const most = 'é'.repeat(maxStringBytes / 2)
  expect(findTextFault('STRING', most)).toBeUndefined()
  const fault = `has ${maxStringBytes + 1} bytes, more than ${maxStringBytes}`
  expect(findTextFault('STRING', `${most}x`)).toBe(fault)
  const write = () => parseFieldValue({ keyname: 'x', datatype: 'STRING' }, `${most}x`)
  expect(write).toThrow(`field "x" ${fault}`)
})
