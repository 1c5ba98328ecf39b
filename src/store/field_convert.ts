import type { Datatype } from '../contract/geometry.ts'

/** How values of one datatype become those of another. `c` stands for the column. */
export interface Conversion {
  /** SQL that is true for values that convert without loss. */
  readonly fits: string
  /** SQL of the converted value, right wherever `fits` is true. */
  readonly value: string
}

const int32 = 'between -2147483648 and 2147483647'
const int64 = 'between -9223372036854775808 and 9223372036854775807'
const trimmed = 'btrim(c)'
const none = 'false'

/** A text of blanks stands for no value, as in the cells of a table. */
const orBlank = (test: string) => `(${trimmed} = '' or ${test})`
const unlessBlank = (value: string) => `case when ${trimmed} <> '' then ${value} end`

const wholeText = `${trimmed} ~ '^[-+]?[0-9]{1,19}$'`
const numberText = `${trimmed} ~ '^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,3})?$'`

/** Tests whether the text at the start of the column is a day of the calendar; CASE keeps bad ones from make_date. */
const dayText = (from: string) => `case when ${from} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}'
  and substr(${from}, 1, 4)::int >= 1 and substr(${from}, 6, 2)::int between 1 and 12
  then substr(${from}, 9, 2)::int between 1 and extract(day from
    make_date(substr(${from}, 1, 4)::int, substr(${from}, 6, 2)::int, 1) + interval '1 month' - interval '1 day')
  else false end`
const clock = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?'

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
      fits: orBlank(`case when ${wholeText} then ${trimmed}::numeric ${int32} else false end`),
      value: unlessBlank(`${trimmed}::integer`),
    },
    BIGINT: {
      fits: orBlank(`case when ${wholeText} then ${trimmed}::numeric ${int64} else false end`),
      value: unlessBlank(`${trimmed}::bigint`),
    },
    REAL: {
      fits: orBlank(
        `case when ${numberText} then abs(${trimmed}::numeric) < 1.797e308
           and (abs(${trimmed}::numeric) > 2.3e-308 or ${trimmed}::numeric = 0) else false end`,
      ),
      value: unlessBlank(`${trimmed}::double precision`),
    },
    DATE: {
      fits: orBlank(`length(${trimmed}) = 10 and ${dayText(trimmed)}`),
      value: unlessBlank(`${trimmed}::date`),
    },
    TIME: { fits: orBlank(`${trimmed} ~ '^${clock}$'`), value: unlessBlank(`${trimmed}::time(0)`) },
    DATETIME: {
      fits: orBlank(`${trimmed} ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]${clock})?$' and ${dayText(trimmed)}`),
      value: unlessBlank(`${trimmed}::timestamp(0)`),
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
  return { fits: fits.replaceAll(/\bc\b/g, column), value: value.replaceAll(/\bc\b/g, column) }
}
