import pg from 'pg'

/** Parses the text form of a PostgreSQL type. */
type Parser = (text: string) => unknown

const { builtins } = pg.types

/** Types returned as strings: JavaScript cannot represent them exactly, or only with a time zone. */
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

/** text[], whose parser reads arrays of strings. */
const textArray: number = 1009

/** Array types returned as arrays of strings: int8, numeric, date, timestamp, timestamptz, interval, point, circle. */
const textArrayTypes: readonly number[] = [1016, 1231, 1182, 1115, 1185, 1187, 1017, 719]

const parsers = new Map<number, Parser>([
  ...textTypes.map((oid): [number, Parser] => [oid, String]),
  ...textArrayTypes.map((oid): [number, Parser] => [oid, pg.types.getTypeParser(textArray, 'text')]),
])

/**
 * Type parsers of the driver: int2, int4, float4 and float8 become numbers, bool booleans, json is parsed, bytea
 * becomes a Buffer, arrays of these arrays; int8, numeric, dates, times and everything else become strings.
 */
export const typeParsers = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): Parser {
    const own = format === 'binary' ? undefined : parsers.get(oid)
    return own ?? pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text')
  },
}

/**
 * Serializes a bound value: null as null, arrays as PostgreSQL arrays, bytes as bytea, other objects as JSON, anything
 * else as its string.
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
    // Fast path for long lists of ids: numbers need no quotes.
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
