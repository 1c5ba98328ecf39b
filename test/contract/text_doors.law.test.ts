import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  datatypeCodecs,
  daySeconds,
  type FieldScalar,
  parseTrimmed,
  trimmedCharacters,
} from '../../src/contract/datatype_codec.ts'
import { type Datatype, datatypes } from '../../src/contract/geometry.ts'
import { bytesOf } from '../../src/core/bytes.ts'
import { parseTimestamp } from '../../src/gdal/import/timestamp.ts'
import { findConversion, type Scalar } from '../../src/gdal/import/value_convert.ts'
import { kindOfString, kinds } from '../../src/gdal/sources/geojson/columns.ts'
import type { JsonReader } from '../../src/gdal/sources/geojson/json_reader.ts'
import { findTextFault } from '../../src/pipeline/checked_table.ts'
import { comparedType, parseCompared, parseFieldValue } from '../../src/store/feature/field_value.ts'
import { nearlyValues } from '../support/text_values.ts'

/** What a way in makes of a text: the printed value, null for no value, or undefined if it refuses the text. */
type Door = (datatype: Datatype, text: string) => string | null | undefined

const isBlank = (datatype: Datatype, text: string) =>
  datatype !== 'STRING' && [...text].every((character) => trimmedCharacters.includes(character))

function catchRefusal<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const printed = (datatype: Datatype, value: FieldScalar | null | undefined) =>
  value === null || value === undefined ? value : datatypeCodecs[datatype].print(value)

/** Turns the encoding of PostgreSQL into the value of the codec. */
function fromRow(datatype: Datatype, value: Scalar | null | undefined): FieldScalar | null | undefined {
  if (datatype === 'INTEGER' || datatype === 'BIGINT') return value === 0 ? 0 : value
  const isTime = datatype === 'TIME' || datatype === 'DATETIME'
  return isTime && typeof value === 'number' ? value / 1e6 : value
}

const stringOf = (text: string) => {
  const bytes = Buffer.from(text)
  return { ...bytesOf(bytes), column: 0, type: 'String' as const, at: 0, size: bytes.length }
}

const doors: Readonly<Record<string, Door>> = {
  codec: (datatype, text) =>
    isBlank(datatype, text) ? null : printed(datatype, parseTrimmed(datatype, text)),
  'a file': (datatype, text) =>
    datatype === 'STRING'
      ? text
      : printed(datatype, fromRow(datatype, findConversion('STRING', datatype)(stringOf(text)))),
  'a request': (datatype, text) => {
    // Requests write null.
    if (isBlank(datatype, text)) return null
    const value = catchRefusal(() => parseFieldValue({ keyname: 'x', datatype }, text))
    return value === undefined || value === null ? value : String(value)
  },
  'a pipeline': (datatype, text) => {
    if (isBlank(datatype, text)) return null
    return findTextFault(datatype, text) === undefined
      ? printed(datatype, parseTrimmed(datatype, text))
      : undefined
  },
}

/** Texts of each datatype, with the value that all ways in make of them. */
const table: readonly (readonly [Datatype, string, string | undefined])[] = [
  ['DATE', '2024-01-31', '2024-01-31'],
  ['DATE', '2024/01/31', '2024-01-31'],
  ['DATE', '2024/1/3', '2024-01-03'],
  ['DATE', ' 2024-01-31\t', '2024-01-31'],
  ['DATE', '2024-01/31', undefined],
  ['DATE', '31.01.2024', undefined],
  ['DATE', '20240131', undefined],
  ['DATE', '2023-02-29', undefined],
  ['DATE', '2024-01-31T00:00:00', undefined],
  ['DATE', '0000-01-01', undefined],
  ['DATE', '12024-01-01', undefined],
  ['TIME', '9:30', '09:30:00'],
  ['TIME', '23:59:59.999', '23:59:59'],
  ['TIME', '24:00', undefined],
  ['TIME', '10:00:00Z', undefined],
  ['TIME', '10:00 PM', undefined],
  ['DATETIME', '2024/01/31 9:30', '2024-01-31T09:30:00'],
  ['DATETIME', '2024-01-31T23:59:59.999Z', '2024-01-31T23:59:59'],
  ['DATETIME', '2024-01-31T10:00:00+03:00', '2024-01-31T10:00:00'],
  ['DATETIME', '2024-01-31', '2024-01-31T00:00:00'],
  ['DATETIME', '2024-01-31T', undefined],
  ['DATETIME', '2024-01-31T23:59:60', undefined],
  ['INTEGER', '007', '7'],
  ['INTEGER', '+7', '7'],
  ['INTEGER', '-0', '0'],
  ['INTEGER', `${'0'.repeat(30)}7`, '7'],
  ['INTEGER', '7.0', undefined],
  ['INTEGER', '1e3', undefined],
  ['INTEGER', '1 000', undefined],
  ['INTEGER', '2147483648', undefined],
  ['INTEGER', 'true', undefined],
  ['INTEGER', 'yes', undefined],
  ['BIGINT', '9223372036854775807', '9223372036854775807'],
  ['BIGINT', '9223372036854775808', undefined],
  ['REAL', '1.50', '1.5'],
  ['REAL', '5e-324', '5e-324'],
  ['REAL', '1,5', undefined],
  ['REAL', 'NaN', undefined],
  ['REAL', 'Infinity', undefined],
  ['REAL', '0x10', undefined],
  ['REAL', 'false', undefined],
]

test.each(table)('%s %j is the same through every door', (datatype, text, value) => {
  const found = Object.entries(doors).map(([name, read]) => [name, read(datatype, text)])
  expect(found).toEqual(Object.keys(doors).map((name) => [name, value]))
})

const numRuns = process.env.LANDFORM_SOAK ? 50_000 : 2000
const some = fc.constantFrom(...datatypes)

test('a text is the same value through every door', () => {
  const { codec, ...others } = doors
  fc.assert(
    fc.property(some, nearlyValues, (datatype, text) => {
      const expected = codec?.(datatype, text)
      for (const [name, read] of Object.entries(others))
        expect([name, read(datatype, text)]).toEqual([name, expected])
    }),
    { numRuns, seed: 20_261_128 },
  )
})

test('a filter compares with the value that a request writes', () => {
  const temporal = fc.constantFrom<Datatype>('DATE', 'TIME', 'DATETIME', 'STRING')
  fc.assert(
    fc.property(temporal, nearlyValues, (datatype, text) => {
      const field = { keyname: 'x', datatype }
      const written = catchRefusal(() => parseFieldValue(field, text))
      const compared = catchRefusal(() => parseCompared(field, text))
      if (written !== undefined) expect(compared).toEqual({ text: written, type: comparedType(datatype) })
    }),
    { numRuns, seed: 20_261_129 },
  )
})

test.each([
  ['DATE', '2024-01-31T00:00:00', '2024-01-31', 'date'],
  ['DATE', '2024-01-31T00:00:00.000Z', '2024-01-31', 'date'],
  ['DATE', '2024-01-31 00:00+02:00', '2024-01-31', 'date'],
  ['DATE', '2024-01-31Z', '2024-01-31', 'date'],
  ['DATE', '2024-01-31T12:00:00Z', '2024-01-31T12:00:00', 'timestamp'],
  ['DATE', '2024-01-32T00:00:00', undefined, undefined],
  ['DATETIME', '2024-01-31', '2024-01-31T00:00:00', 'timestamp'],
  ['DATETIME', '2024-01-31Z', '2024-01-31T00:00:00', 'timestamp'],
  ['TIME', '0000-00-00T08:30:00', '08:30:00', 'time'],
  ['TIME', '08:30:00.000Z', '08:30:00', 'time'],
  ['TIME', '2024-01-31T08:30:00', undefined, undefined],
] as const)('a filter compares a %s with %s as %s', (datatype, text, value, type) => {
  const compared = catchRefusal(() => parseCompared({ keyname: 'x', datatype }, text))
  expect(compared).toEqual(value === undefined ? undefined : { text: value, type })
})

const jsonOf = (text: string) =>
  ({ bytes: Buffer.from(text), stringStart: 0, stringEnd: Buffer.byteLength(text) }) as unknown as JsonReader

test('a string that GeoJSON recognizes is read as the codec reads it', () => {
  const types = new Map([
    [kinds.date, 'DATE'],
    [kinds.time, 'TIME'],
    [kinds.timestamp, 'DATETIME'],
  ] as const)
  fc.assert(
    fc.property(nearlyValues, (text) => {
      const datatype = types.get(kindOfString(jsonOf(text)) as typeof kinds.date)
      if (datatype === undefined) return
      const found = parseTimestamp(datatype === 'TIME' ? `2000-01-01T${text}` : text)
      const seconds = (found?.microseconds ?? 0) / 1e6
      const days = found?.days ?? 0
      const value = { DATE: days, TIME: seconds, DATETIME: days * daySeconds + seconds }[datatype]
      const parsed = datatypeCodecs[datatype].parse(text)
      // Days that the calendar does not have are bad features.
      if (parsed !== undefined) expect(value).toBe(parsed)
      else expect(datatype).not.toBe('TIME')
    }),
    { numRuns: 5 * numRuns, seed: 20_261_130 },
  )
})
