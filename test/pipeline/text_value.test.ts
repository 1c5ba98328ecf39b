import { expect, it } from 'vitest'
import { findTextFault } from '../../src/pipeline/checked_table.ts'

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
