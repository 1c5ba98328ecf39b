import fc from 'fast-check'
import { expect, test } from 'vitest'
import { datatypeCodecs, parseTrimmed } from '../../../src/contract/datatype_codec.ts'
import { type Datatype, datatypes } from '../../../src/contract/geometry.ts'
import { columnTypes } from '../../../src/store/feature/feature_sql.ts'
import { conversionOf } from '../../../src/store/layer/field_convert.ts'
import { describeDrivers } from '../../support/drivers.ts'

const number = (least: number, most: number, digits = 1) =>
  fc.integer({ min: least, max: most }).map((value) => String(value).padStart(digits, '0'))
const oneOf = (...texts: string[]) => fc.constantFrom(...texts)
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
const maybe = (text: fc.Arbitrary<string>) => fc.option(text, { nil: '' })

const separator = oneOf('-', '/')
const date = joined(number(0, 10_000, 4), separator, number(0, 13), oneOf('-', '-', '/'), number(0, 32, 2))
const fraction = maybe(oneOf('.5', '.999999', '.'))
const time = joined(
  number(0, 25),
  oneOf(':'),
  number(0, 61, 2),
  maybe(joined(oneOf(':'), number(0, 61, 2), fraction)),
)
const zone = maybe(oneOf('Z', '+03', '-03:30', '+0330', '+3', 'z'))
const numeral = joined(
  maybe(oneOf('-', '+')),
  fc.bigInt({ min: 0n, max: 2n ** 65n }).map(String),
  maybe(oneOf('.', '.0', '.5')),
  maybe(joined(oneOf('e', 'E'), number(-400, 400))),
)
const limits = oneOf('2147483647', '2147483648', '-2147483648', '-2147483649', '9223372036854775807')
const beyond = oneOf(
  '9223372036854775808',
  '1.7976931348623158e308',
  '1.7976931348623159e308',
  '5e-324',
  '2e-324',
)

/** Texts that are nearly values, and others. */
const texts = fc.oneof(
  date,
  time,
  joined(date, oneOf('T', ' ', ''), time, zone),
  numeral,
  limits,
  beyond,
  fc.string({ maxLength: 8 }).filter((text) => !text.includes('\0')),
)
const padded = joined(maybe(oneOf(' ', '  ')), texts, maybe(oneOf(' ')))

const numRuns = process.env.LANDFORM_SOAK ? 100 : 3

describeDrivers('strings that become values in the database', (open) => {
  test.each(datatypes.filter((datatype) => datatype !== 'STRING'))(
    'become the %s that all other ways in read',
    async (to) => {
      const database = await open()
      const { fits, value } = conversionOf('STRING', to, 'x')
      await fc.assert(
        fc.asyncProperty(fc.array(padded, { minLength: 400, maxLength: 400 }), async (list) => {
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
  if (text.replaceAll(' ', '') === '') return [true, null]
  const parsed = parseTrimmed(to, text)
  return parsed === undefined ? [false, null] : [true, datatypeCodecs[to].print(parsed)]
}

/** What the database prints, as the codec does. */
function normalize(to: Datatype, value: string | null | undefined): string | null | undefined {
  if (value === null || value === undefined) return value
  if (to === 'REAL') return String(Number(value) + 0)
  return to === 'DATETIME' ? value.replace(' ', 'T') : value
}
