import { expect, it } from 'vitest'
import type { Datatype } from '../../../src/contract/geometry.ts'
import { valueText } from '../../../src/transfer/sync/row_entry.ts'
import { keyRow } from '../../../src/transfer/sync/text_key.ts'

const values: Readonly<Record<Datatype, string>> = {
  INTEGER: '-7',
  BIGINT: '9007199254740993',
  REAL: '1.5',
  STRING: 'Žižkov',
  DATE: '1999-12-31',
  TIME: '23:59:58',
  DATETIME: '1999-12-31T23:59:58',
}
const datatypes = Object.keys(values) as Datatype[]

it('makes a row of the texts of a key, of each datatype', () => {
  const row = keyRow(
    Object.values(values),
    datatypes.map((datatype) => ({ datatype })),
  )
  const found = datatypes.map((datatype, column) => {
    const text = row && valueText(row, { keyname: '', datatype, column })
    return text?.replaceAll('"', '')
  })
  expect(found).toEqual(Object.values(values))
})

it.each([
  ['an empty text', ['']],
  ['a missing text', []],
  ['no value of the datatype', ['x']],
  ['damaged text', ['1\uFFFD']],
])('does not make a row of %s', (_, texts) => {
  expect(keyRow(texts, [{ datatype: 'INTEGER' }])).toBeUndefined()
})
