import { quoteName, quoteText } from '../../../core/sql_quote.ts'

/** A column of a GeoPackage table, with its type in GDAL. */
export interface TableColumn {
  readonly name: string
  /** Declared type. */
  readonly declared: string
  /** Type in gdal-async; undefined if GDAL ignores the column. */
  readonly type: string | undefined
}

/** Rules for the values of a datatype, as SQL conditions on a column. */
interface ValueRule {
  /** @see https://www.geopackage.org/spec120/#table_column_data_types */
  readonly declare: string
  /** Datatype in messages. */
  readonly title: string
  /** Condition on a value: it does not have the datatype. */
  readonly isBad: (value: string) => string
  /** Aggregate condition on all rows: some value may be bad. Ten times faster than checking each. */
  readonly isDoubtful: (value: string) => string
}

const largest = 2_147_483_647
const largestExact = 2 ** 53 - 1
const day = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]'

function isNot(value: string, ...storages: readonly string[]): string {
  return `typeof(${value}) not in (${['null', ...storages].map((name) => `'${name}'`).join(', ')})`
}

function isWithin(value: string, most: number): string {
  return `${value} between -${most} - 1 and ${most}`
}

/** SQL condition: an integer that doubles cannot represent exactly. */
function isLong(value: string): string {
  return `typeof(${value}) = 'integer' and not ${isWithin(value, largestExact)}`
}

/**
 * SQL condition: a valid timestamp. SQLite also accepts numbers, times without a date, and hour 24, which GDAL ignores.
 */
function isTimestamp(text: string): string {
  const patterns = ['', '[T ][01]*', '[T ]2[0-3]*'].map((rest) => `${text} glob '????-??-??${rest}'`)
  return `(julianday(${text}) is not null and (${patterns.join(' or ')}))`
}

const text: ValueRule = {
  declare: 'TEXT',
  title: 'STRING',
  isBad: (value) => `${isNot(value, 'text', 'integer', 'real')} or instr(${value}, char(0)) > 0`,
  isDoubtful: (value) => `max(${value}) >= x'' or max(instr(${value}, char(0))) > 0`,
}

// SQLite sorts numbers before strings, and strings before blobs. A sum of integers is an integer.
const rules = {
  boolean: {
    declare: 'MEDIUMINT',
    title: 'BOOLEAN',
    isBad: (value) => `${isNot(value, 'integer')} or ${value} not in (0, 1)`,
    isDoubtful: (value) => `max(${value} <> 0 and ${value} <> 1)`,
  },
  integer: {
    declare: 'MEDIUMINT',
    title: 'INTEGER',
    isBad: (value) => `${isNot(value, 'integer')} or not ${isWithin(value, largest)}`,
    isDoubtful: (value) => `typeof(sum(${value})) = 'real' or max(not ${isWithin(value, largest)})`,
  },
  integer64: {
    declare: 'INTEGER',
    title: 'BIGINT',
    isBad: (value) => isNot(value, 'integer'),
    isDoubtful: (value) => `typeof(sum(${value})) = 'real'`,
  },
  real: {
    declare: 'REAL',
    title: 'REAL',
    isBad: (value) => isNot(value, 'real'),
    isDoubtful: (value) => `max(${value}) >= ''`,
  },
  numeric: {
    declare: 'REAL',
    title: 'REAL',
    isBad: (value) => `${isNot(value, 'real', 'integer')} or ${isLong(value)}`,
    isDoubtful: (value) => `max(${value}) >= '' or max(${isLong(value)})`,
  },
  string: text,
  /** Numbers in string columns, which GDAL reads with fifteen digits. */
  mixed: { ...text, isDoubtful: (value) => `${text.isDoubtful(value)} or min(${value}) < ''` },
  binary: {
    declare: 'BLOB',
    title: 'BLOB',
    isBad: (value) => isNot(value, 'blob'),
    isDoubtful: (value) => `min(${value}) < x''`,
  },
  date: {
    declare: 'DATE',
    title: 'DATE',
    isBad: (value) => `${value} is not null and (${value} not glob '${day}' or date(${value}) is null)`,
    isDoubtful: (value) => `max(date(${value}) is not ${value})`,
  },
  dateTime: {
    declare: 'DATETIME',
    title: 'DATETIME',
    isBad: (value) => `${value} is not null and not ${isTimestamp(value)}`,
    isDoubtful: (value) => `count(${value}) > coalesce(sum(${isTimestamp(value)}), 0)`,
  },
} satisfies Readonly<Record<string, ValueRule>>

function ruleOf({ type = 'string', declared }: Omit<TableColumn, 'name'>): ValueRule {
  if (type === 'integer' && /^bool/i.test(declared)) return rules.boolean
  // For these declared types, SQLite itself converts integers to doubles.
  if (type === 'real' && !/real|floa|doub/i.test(declared)) return rules.numeric
  // SQLite also converts numbers to strings. @see https://www.sqlite.org/datatype3.html "Determination Of Column
  // Affinity"
  if (type === 'string')
    return /int/i.test(declared) || !/char|clob|text/i.test(declared) ? rules.mixed : text
  return rules[type as keyof typeof rules] ?? rules.mixed
}

/** Aggregate condition: GDAL may change a value of the column. Can be true although GDAL does not. */
export function mayBeMisread(column: TableColumn): string {
  return column.type === undefined ? '1' : ruleOf(column).isDoubtful(quoteName(column.name))
}

/** Returns the declared type for a column with only valid values. */
export function declarationOf(column: TableColumn): string {
  return ruleOf(column).declare
}

/** Condition on a row: the value does not have the datatype of its column. */
export function isBadValue(column: TableColumn): string {
  return `(${ruleOf(column).isBad(quoteName(column.name))})`
}

/** Expression for the exact value of a column; null if it is bad. */
export function exactValue(column: TableColumn): string {
  const value = quoteName(column.name)
  const isBad = isBadValue(column)
  if (ruleOf(column).title !== text.title) return `case when not ${isBad} then ${value} end`
  // GDAL reads numbers in string columns with fifteen digits.
  const short = `printf('%!.15g', ${value})`
  const digits = `case cast(${short} as real) when ${value} then ${short} else printf('%!.17g', ${value}) end`
  return `case when ${isBad} then null when typeof(${value}) = 'real' then ${digits} else ${value} end`
}

/** Expression for a message about a bad value. */
export function faultOf(column: TableColumn): string {
  const value = quoteName(column.name)
  const text = `'"' || substr(replace(${value}, char(0), char(0xfffd)), 1, 80) || '"'`
  const shown = `case typeof(${value}) when 'text' then ${text} when 'blob' then 'a binary value' else ${value} end`
  return `${quoteText(`${column.name}: `)} || ${shown} || ${quoteText(` is not a valid ${ruleOf(column).title}`)}`
}
