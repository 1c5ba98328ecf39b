import { expect, test } from 'vitest'
import type { Datatype } from '../../../src/contract/geometry.ts'
import type { Database } from '../../../src/database/database.ts'
import { columnTypes } from '../../../src/store/feature/feature_sql.ts'
import { conversionOf } from '../../../src/store/layer/field_convert.ts'
import { describeDrivers } from '../../support/drivers.ts'

/** What becomes of a value; undefined where it does not convert. */
async function convert(
  database: Database,
  value: string,
  [from, to]: [Datatype, Datatype],
): Promise<unknown> {
  const { fits, value: converted } = conversionOf(from, to, 'x')
  const [row] = await database.query<{ fits: boolean; value: unknown }>(
    `select f.fits, case when f.fits then (${converted})::${columnTypes[to]}::text end as value
       from (select $1::text::${columnTypes[from]} as x) as given, lateral (select (${fits}) as fits) as f`,
    [value],
  )
  return row?.fits ? row.value : undefined
}

describeDrivers('values are converted', (open) => {
  test.each<[Datatype, Datatype, string, string | null | undefined]>([
    ['INTEGER', 'BIGINT', '-5', '-5'],
    ['INTEGER', 'REAL', '5', '5'],
    ['INTEGER', 'STRING', '5', '5'],
    ['INTEGER', 'DATE', '5', undefined],
    ['BIGINT', 'INTEGER', '2147483647', '2147483647'],
    ['BIGINT', 'INTEGER', '2147483648', undefined],
    ['BIGINT', 'REAL', '-9007199254740991', '-9.007199254740991e+15'],
    ['BIGINT', 'REAL', '9007199254740993', undefined],
    ['REAL', 'INTEGER', '-3', '-3'],
    ['REAL', 'INTEGER', '1.5', undefined],
    ['REAL', 'INTEGER', '3e9', undefined],
    ['REAL', 'BIGINT', '3e9', '3000000000'],
    ['REAL', 'BIGINT', '1e19', undefined],
    ['REAL', 'STRING', '0.30000000000000004', '0.30000000000000004'],
    ['STRING', 'INTEGER', ' +12 ', '12'],
    ['STRING', 'INTEGER', '', null],
    ['STRING', 'INTEGER', '12.0', undefined],
    ['STRING', 'INTEGER', '3000000000', undefined],
    ['STRING', 'BIGINT', '9223372036854775807', '9223372036854775807'],
    ['STRING', 'BIGINT', '9223372036854775808', undefined],
    ['STRING', 'REAL', '-1.5e3', '-1500'],
    ['STRING', 'REAL', '.5', '0.5'],
    ['STRING', 'REAL', '1e400', undefined],
    ['STRING', 'REAL', '1e-400', undefined],
    ['STRING', 'REAL', 'NaN', undefined],
    ['STRING', 'REAL', '1,5', undefined],
    ['STRING', 'DATE', '2024-02-29', '2024-02-29'],
    ['STRING', 'DATE', '2023-02-29', undefined],
    ['STRING', 'DATE', '2023-13-01', undefined],
    ['STRING', 'DATE', '0000-01-01', undefined],
    ['STRING', 'DATE', '2023-01-01x', undefined],
    ['STRING', 'DATE', 'today', undefined],
    ['STRING', 'TIME', '23:59', '23:59:00'],
    ['STRING', 'TIME', '24:00:00', undefined],
    ['STRING', 'DATETIME', '2024-02-29T23:59:59', '2024-02-29 23:59:59'],
    ['STRING', 'DATETIME', '2024-02-29', '2024-02-29 00:00:00'],
    ['STRING', 'DATETIME', '2023-02-29T00:00:00', undefined],
    ['STRING', 'DATETIME', 'now', undefined],
    ['DATE', 'DATETIME', '2024-02-29', '2024-02-29 00:00:00'],
    ['DATE', 'STRING', '2024-02-29', '2024-02-29'],
    ['DATE', 'TIME', '2024-02-29', undefined],
    ['DATETIME', 'DATE', '2024-02-29T00:00:00', '2024-02-29'],
    ['DATETIME', 'DATE', '2024-02-29T00:00:01', undefined],
    ['DATETIME', 'STRING', '2024-02-29T01:02:03', '2024-02-29T01:02:03'],
    ['TIME', 'STRING', '01:02:03', '01:02:03'],
  ])('from %s to %s: %j', async (from, to, value, expected) => {
    expect(await convert(await open(), value, [from, to])).toBe(expected)
  })
})
