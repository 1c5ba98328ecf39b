import { datatypePatterns, integerLimits, trimmedCharacters } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'
import { printSql } from '../feature/print_sql.ts'

/** Conversion of values from one datatype to another. `c` stands for the column. */
export interface Conversion {
  /** SQL that is true for values that convert without loss. */
  readonly fits: string
  /** SQL of the converted value, valid where `fits` is true. */
  readonly value: string
}

const between = ([min, max]: readonly [bigint, bigint]) => `between ${min} and ${max}`
const int32 = between(integerLimits.INTEGER)
const int64 = between(integerLimits.BIGINT)
const trimmed = `btrim(c, E'${escapeCharacters(trimmedCharacters)}')`

function escapeCharacters(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** A string of white space converts to null, like an empty cell of a table. */
const orBlank = (test: string) => `(${trimmed} = '' or ${test})`
const unlessBlank = (value: string) => `case when ${trimmed} <> '' then ${value} end`

/** Tests a string against a pattern, and only then a condition on its parts; CASE guarantees that order. */
const matches = (pattern: keyof typeof datatypePatterns, test = 'true') =>
  orBlank(`case when ${trimmed} ~ '${datatypePatterns[pattern]}' then ${test} else false end`)

/** Returns SQL of the number matched by a group of a pattern; null for a missing group. */
const part = (pattern: keyof typeof datatypePatterns, group: number) =>
  `(regexp_match(${trimmed}, '${datatypePatterns[pattern]}'))[${group}]::int`

/** Bounds of numerals that round to infinity or 0: half a step beyond the largest and the smallest double. */
const overflow = 2n ** 1024n - 2n ** 970n
const underflow = '(1 / power(2::numeric, 1075))'

const isDate = (pattern: 'date' | 'timestamp') => {
  const [year, month, day] = [1, 3, 4].map((group) => part(pattern, group))
  return `${year} >= 1 and ${month} between 1 and 12 and ${day} >= 1 and ${day} <= extract(day from
    make_date(greatest(${year}, 1), least(greatest(${month}, 1), 12), 1) + interval '1 month' - interval '1 day')`
}
const isClock = (pattern: 'time' | 'timestamp', first: number) => {
  const [hour, minute, second] = [first, first + 1, first + 3].map((group) => part(pattern, group))
  return `coalesce(${hour}, 0) < 24 and coalesce(${minute}, 0) < 60 and coalesce(${second}, 0) < 60`
}
const dateOf = (pattern: 'date' | 'timestamp') =>
  `make_date(${part(pattern, 1)}, ${part(pattern, 3)}, ${part(pattern, 4)})`
const clockOf = (pattern: 'time' | 'timestamp', first: number) => {
  const parts = [first, first + 1, first + 3].map((group) => `coalesce(${part(pattern, group)}, 0)`)
  return `make_time(${parts.join(', ')})`
}

const toText = (value: string): Conversion => ({ fits: 'true', value })
const same = (type: string): Conversion => ({ fits: 'true', value: `c::${type}` })
const never: Conversion = { fits: 'false', value: 'null' }

/** Supported conversions. */
const conversions: Readonly<Record<Datatype, Readonly<Partial<Record<Datatype, Conversion>>>>> = {
  INTEGER: { BIGINT: same('bigint'), REAL: same('double precision'), STRING: toText('c::text') },
  BIGINT: {
    INTEGER: { fits: `c ${int32}`, value: 'c::integer' },
    REAL: { fits: 'c between -9007199254740992 and 9007199254740992', value: 'c::double precision' },
    STRING: toText('c::text'),
  },
  REAL: {
    INTEGER: { fits: `c = trunc(c) and c ${int32}`, value: 'c::integer' },
    // The largest double below 2^63; the next one up is too large.
    BIGINT: {
      fits: 'c = trunc(c) and c between -9223372036854775808 and 9223372036854774784',
      value: 'c::bigint',
    },
    STRING: toText(printSql('REAL', 'c')),
  },
  STRING: {
    INTEGER: {
      fits: matches('integer', `${trimmed}::numeric ${int32}`),
      value: unlessBlank(`${trimmed}::integer`),
    },
    BIGINT: {
      fits: matches('integer', `${trimmed}::numeric ${int64}`),
      value: unlessBlank(`${trimmed}::bigint`),
    },
    REAL: {
      fits: matches(
        'real',
        `abs(${trimmed}::numeric) < ${overflow} and (abs(${trimmed}::numeric) > ${underflow} or ${trimmed}::numeric = 0)`,
      ),
      value: unlessBlank(`${trimmed}::double precision`),
    },
    DATE: { fits: matches('date', isDate('date')), value: unlessBlank(dateOf('date')) },
    TIME: { fits: matches('time', isClock('time', 1)), value: unlessBlank(clockOf('time', 1)) },
    DATETIME: {
      fits: matches('timestamp', `${isDate('timestamp')} and ${isClock('timestamp', 6)}`),
      value: unlessBlank(`${dateOf('timestamp')} + ${clockOf('timestamp', 6)}`),
    },
  },
  DATE: { STRING: toText(printSql('DATE', 'c')), DATETIME: same('timestamp(0)') },
  TIME: { STRING: toText('c::text') },
  DATETIME: {
    STRING: toText(printSql('DATETIME', 'c')),
    DATE: { fits: "c = date_trunc('day', c)", value: 'c::date' },
  },
}

/** Returns the conversion of a column from one datatype to another. */
export function conversionOf(from: Datatype, to: Datatype, column: string): Conversion {
  const { fits, value } = conversions[from][to] ?? never
  return { fits: fits.replaceAll(/\bc\b/g, () => column), value: value.replaceAll(/\bc\b/g, () => column) }
}
