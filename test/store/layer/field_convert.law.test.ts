import fc from 'fast-check'
import { expect, test } from 'vitest'
import { datatypeCodecs, parseTrimmed, trimValue } from '../../../src/contract/datatype_codec.ts'
import { type Datatype, datatypes } from '../../../src/contract/geometry.ts'
import { columnTypes } from '../../../src/store/feature/feature_sql.ts'
import { conversionOf } from '../../../src/store/layer/field_convert.ts'
import { describeDrivers } from '../../support/drivers.ts'
import { nearlyValues } from '../../support/text_values.ts'

const numRuns = process.env.LANDFORM_SOAK ? 100 : 3

describeDrivers('strings that become values in the database', (open) => {
  test.each(datatypes.filter((datatype) => datatype !== 'STRING'))(
    'become the %s that all other ways in read',
    async (to) => {
      const database = await open()
      const { fits, value } = conversionOf('STRING', to, 'x')
      await fc.assert(
        fc.asyncProperty(fc.array(nearlyValues, { minLength: 400, maxLength: 400 }), async (list) => {
          const rows = await database.query<{ fits: boolean; value: string | null }>(
            `select f.fits, case when f.fits then (${value})::${columnTypes[to]}::text end as value
             from unnest($1::text[]) with ordinality as given(x, n), lateral (select (${fits}) as fits) as f order by n`,
            [list],
          )
          const found = list.map((text, at) => [text, rows[at]?.fits, normalize(to, rows[at]?.value)])
          expect(found).toEqual(list.map((text) => [text, ...expected(to, text)]))
        }),
        { numRuns, seed: 20_261_124, endOnFailure: true },
      )
    },
  )
})

function expected(to: Datatype, text: string): [fits: boolean, value: string | null] {
  if (trimValue(to, text) === '') return [true, null]
  const parsed = parseTrimmed(to, text)
  return parsed === undefined ? [false, null] : [true, datatypeCodecs[to].print(parsed)]
}

/** What the database prints, as the codec does. */
function normalize(to: Datatype, value: string | null | undefined): string | null | undefined {
  if (value === null || value === undefined) return value
  if (to === 'REAL') return String(Number(value) + 0)
  return to === 'DATETIME' ? value.replace(' ', 'T') : value
}
