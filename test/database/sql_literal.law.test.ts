import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bindLiterals } from '../../src/database/database_session.ts'
import { describeDrivers } from '../support/drivers.ts'

const runs = process.env.LANDFORM_SOAK ? { numRuns: 2000 } : { numRuns: 60, seed: 20240229 }

/** Strings with the special characters of SQL, arrays and JSON, except NUL, which PostgreSQL cannot store. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '')),
  fc.string({
    unit: fc.constantFrom("'", '"', '\\', '$', '$1', '{', '}', ',', '\n', '--', '/*', 'NULL', 'é', ' '),
  }),
)

const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes(String.raw`\u0000`))

/** Values with their column types. */
const value = fc.oneof(
  text.map((of) => ({ type: 'text', of })),
  fc.integer().map((of) => ({ type: 'int4', of })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((of) => ({ type: 'int8', of })),
  fc.double().map((of) => ({ type: 'float8', of })),
  fc.boolean().map((of) => ({ type: 'bool', of })),
  date.map((of) => ({ type: 'timestamptz', of })),
  date.map((of) => ({ type: 'date', of: of.toISOString().slice(0, 10) })),
  fc.uint8Array().map((of) => ({ type: 'bytea', of })),
  fc.array(fc.option(text)).map((of) => ({ type: 'text[]', of })),
  fc.array(fc.option(fc.integer())).map((of) => ({ type: 'int4[]', of })),
  json.map((of) => ({ type: 'jsonb', of: JSON.stringify(of) })),
  fc.dictionary(text, text).map((of) => ({ type: 'jsonb', of })),
  fc.constant({ type: 'text', of: null }),
)

describeDrivers('a literal', (open) => {
  test('is equivalent to the bound value', async () => {
    const database = await open()
    await fc.assert(
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 8 }), async (values) => {
        const columns = values.map(({ type }, at) => `$${at + 1}::${type} as v${at}`).join(', ')
        const bound = values.map(({ of }) => of)
        const select = `select ${columns}`
        const [expected, actual] = [
          await database.query(select, bound),
          await database.query(bindLiterals(select, bound)),
        ]
        expect(actual).toEqual(expected)
      }),
      runs,
    )
  })
})
