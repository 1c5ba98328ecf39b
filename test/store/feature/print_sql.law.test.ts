import fc from 'fast-check'
import { expect, test } from 'vitest'
import { datatypeCodecs, daySeconds, type FieldScalar } from '../../../src/contract/datatype_codec.ts'
import { type Datatype, datatypes } from '../../../src/contract/geometry.ts'
import { columnTypes } from '../../../src/store/feature/feature_sql.ts'
import { printSql } from '../../../src/store/feature/print_sql.ts'
import { describeDrivers } from '../../support/drivers.ts'

const day = fc.integer({ min: -730_119, max: 2_921_939 })
const time = fc.integer({ min: 0, max: daySeconds - 1 })
const magnitude = fc.constantFrom(
  1e-7,
  1e-6,
  9.99e-7,
  1e15,
  123456789012345680,
  1e20,
  1e21,
  5e-324,
  -0,
  1.5e-7,
  1e100,
)
const real = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }),
  fc.integer().map((value) => value / 100),
  magnitude,
)

const values: Readonly<Record<Datatype, fc.Arbitrary<FieldScalar>>> = {
  INTEGER: fc.integer(),
  BIGINT: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  REAL: real,
  STRING: fc.string({ maxLength: 8 }).filter((text) => !text.includes('\0')),
  DATE: day,
  TIME: time,
  DATETIME: fc.tuple(day, time).map(([days, seconds]) => days * daySeconds + seconds),
}

const numRuns = process.env.LANDFORM_SOAK ? 100 : 3

describeDrivers('values in the database', (open) => {
  test.each(datatypes)('%s is printed as by its codec', async (datatype) => {
    const database = await open()
    const { print } = datatypeCodecs[datatype]
    const list = fc.array(values[datatype], { minLength: 300, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(list, async (all) => {
        const texts = all.map(print)
        const rows = await database.query<{ printed: string }>(
          `select ${printSql(datatype, 'x')} as printed
             from unnest($1::text[]) with ordinality as given(t, n), lateral (select t::${columnTypes[datatype]} as x) as f
            order by n`,
          [texts],
        )
        expect(rows.map(({ printed }) => printed)).toEqual(texts)
      }),
      { numRuns, seed: 20_261_128, endOnFailure: true },
    )
  })
})
