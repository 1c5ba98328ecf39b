import { datatypePatterns, integerLimits } from '../../contract/datatype_codec.ts'
import type { Datatype } from '../../contract/geometry.ts'

/** How values of one datatype become those of another. `c` stands for the column. */
export interface Conversion {
  /** SQL that is true for values that convert without loss. */
  readonly fits: string
  /** SQL of the converted value, right wherever `fits` is true. */
  readonly value: string
}

const between = ([least, most]: readonly [bigint, bigint]) => `between ${least} and ${most}`
const int32 = between(integerLimits.INTEGER)
const int64 = between(integerLimits.BIGINT)
const trimmed = "btrim(c, ' ')"
const none = 'false'

/** A text of blanks stands for no value, as in the cells of a table. */
const orBlank = (test: string) => `(${trimmed} = '' or ${test})`
const unlessBlank = (value: string) => `case when ${trimmed} <> '' then ${value} end`

/** Tests the text against a pattern, and then against what is only safe to ask where it fits; CASE keeps the order. */
const fits = (pattern: keyof typeof datatypePatterns, test = 'true') =>
  orBlank(`case when ${trimmed} ~ '${datatypePatterns[pattern]}' then ${test} else false end`)

/** Gives what a group of a pattern matches in the text; null where the group is not there. */
const part = (pattern: keyof typeof datatypePatterns, group: number) =>
  `(regexp_match(${trimmed}, '${datatypePatterns[pattern]}'))[${group}]::int`

/** Texts from which a double is infinite, and up to which it is 0: half of a step beyond the last one. */
const infinite = 2n ** 1024n - 2n ** 970n
const nothing = '(1 / power(2::numeric, 1075))'

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
const never: Conversion = { fits: none, value: 'null' }

/** Which conversions there are; those left out lose what the value is. */
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
    STRING: toText('c::text'),
  },
  STRING: {
    INTEGER: {
      fits: fits('integer', `${trimmed}::numeric ${int32}`),
      value: unlessBlank(`${trimmed}::integer`),
    },
    BIGINT: {
      fits: fits('integer', `${trimmed}::numeric ${int64}`),
      value: unlessBlank(`${trimmed}::bigint`),
    },
    REAL: {
      fits: fits(
        'real',
        `abs(${trimmed}::numeric) < ${infinite} and (abs(${trimmed}::numeric) > ${nothing} or ${trimmed}::numeric = 0)`,
      ),
      value: unlessBlank(`${trimmed}::double precision`),
    },
    DATE: { fits: fits('date', isDate('date')), value: unlessBlank(dateOf('date')) },
    TIME: { fits: fits('time', isClock('time', 1)), value: unlessBlank(clockOf('time', 1)) },
    DATETIME: {
      fits: fits('timestamp', `${isDate('timestamp')} and ${isClock('timestamp', 6)}`),
      value: unlessBlank(`${dateOf('timestamp')} + ${clockOf('timestamp', 6)}`),
    },
  },
  DATE: { STRING: toText("to_char(c, 'YYYY-MM-DD')"), DATETIME: same('timestamp(0)') },
  TIME: { STRING: toText('c::text') },
  DATETIME: {
    STRING: toText(`to_char(c, 'YYYY-MM-DD"T"HH24:MI:SS')`),
    DATE: { fits: "c = date_trunc('day', c)", value: 'c::date' },
  },
}

/** Gives how values of one datatype become those of another, with a column in the place of `c`. */
export function conversionOf(from: Datatype, to: Datatype, column: string): Conversion {
  const { fits, value } = conversions[from][to] ?? never
  return { fits: fits.replaceAll(/\bc\b/g, () => column), value: value.replaceAll(/\bc\b/g, () => column) }
}
