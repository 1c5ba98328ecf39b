import pg from 'pg'

/** How a value of a PostgreSQL type is read: text in, value out. */
type Parser = (text: string) => unknown

const { builtins } = pg.types

/** Types that stay text: JavaScript has no value that holds them exactly, or none without a time zone. */
const textTypes: readonly number[] = [
  builtins.INT8,
  builtins.NUMERIC,
  builtins.DATE,
  builtins.TIME,
  builtins.TIMESTAMP,
  builtins.TIMESTAMPTZ,
  builtins.INTERVAL,
  600, // point
  718, // circle
]

/** text[], whose parser reads any array whose elements stay text. */
const textArray: number = 1009

/** Their arrays, which become arrays of text: int8, numeric, date, timestamp, timestamptz, interval, point, circle. */
const textArrayTypes: readonly number[] = [1016, 1231, 1182, 1115, 1185, 1187, 1017, 719]

const parsers = new Map<number, Parser>([
  ...textTypes.map((oid): [number, Parser] => [oid, String]),
  ...textArrayTypes.map((oid): [number, Parser] => [oid, pg.types.getTypeParser(textArray, 'text')]),
])

/**
 * How the driver reads what the database answers: int2, int4, float4 and float8 as number, bool as boolean, json
 * parsed, bytea as Buffer, arrays of those as arrays; int8, numeric, dates, times and everything else as text.
 */
export const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    const own = format === 'binary' ? undefined : parsers.get(oid)
    return own ?? pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text')
  },
}

/**
 * Gives the text a bound value is sent as, or null: arrays as PostgreSQL arrays, bytes as bytea, other objects as JSON,
 * all else as its string.
 */
export function serializeValue(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (ArrayBuffer.isView(value)) return `\\x${toHex(value)}`
  if (Array.isArray(value)) return serializeArray(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

function serializeArray(values: readonly unknown[]): string {
  const items = values.map((value) => {
    // Long lists are lists of ids: a number has nothing to quote.
    if (typeof value === 'number') return String(value)
    if (Array.isArray(value)) return serializeArray(value)
    const text = serializeValue(value)
    return text === null ? 'NULL' : `"${text.replaceAll(/["\\]/g, '\\$&')}"`
  })
  return `{${items.join(',')}}`
}

function toHex(view: ArrayBufferView): string {
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('hex')
}
