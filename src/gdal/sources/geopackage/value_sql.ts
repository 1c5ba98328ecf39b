import { quoteName, quoteText } from '../../../core/sql_quote.ts'

/** A column of a table in a GeoPackage, and what GDAL takes it for. */
export interface TableColumn {
  readonly name: string
  /** What it was declared as. */
  readonly declared: string
  /** What gdal-async calls its datatype; undefined where GDAL passes the column over. */
  readonly type: string | undefined
}

/** How values of a datatype stand in a table. Conditions of SQL, on a column that they are given the name of. */
interface ValueRule {
  /** @see https://www.geopackage.org/spec120/#table_column_data_types */
  readonly declare: string
  /** What a fault calls the datatype. */
  readonly title: string
  /** Holds for a value that is none of the datatype. */
  readonly isBad: (value: string) => string
  /** Holds for all rows together where any of them may be bad: ten times faster. */
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

/** Holds for a whole number that no double is. */
function isLong(value: string): string {
  return `typeof(${value}) = 'integer' and not ${isWithin(value, largestExact)}`
}

/** SQLite takes numbers and times of today for moments too, and hour 24, of which GDAL makes nothing. */
function isMoment(text: string): string {
  const shapes = ['', '[T ][01]*', '[T ]2[0-3]*'].map((rest) => `${text} glob '????-??-??${rest}'`)
  return `(julianday(${text}) is not null and (${shapes.join(' or ')}))`
}

const text: ValueRule = {
  declare: 'TEXT',
  title: 'STRING',
  isBad: (value) => `${isNot(value, 'text', 'integer', 'real')} or instr(${value}, char(0)) > 0`,
  isDoubtful: (value) => `max(${value}) >= x'' or max(instr(${value}, char(0))) > 0`,
}

// Numbers are less than texts, texts are less than bytes. A sum of whole numbers is one.
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
  /** Numbers among texts, of which GDAL gives fifteen digits. */
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
    isBad: (value) => `${value} is not null and not ${isMoment(value)}`,
    isDoubtful: (value) => `count(${value}) > coalesce(sum(${isMoment(value)}), 0)`,
  },
} satisfies Readonly<Record<string, ValueRule>>

function ruleOf({ type = 'string', declared }: Omit<TableColumn, 'name'>): ValueRule {
  if (type === 'integer' && /^bool/i.test(declared)) return rules.boolean
  // Where it is declared as one of these, SQLite itself makes a double of a whole number.
  if (type === 'real' && !/real|floa|doub/i.test(declared)) return rules.numeric
  // And a text of a number. @see https://www.sqlite.org/datatype3.html "Determination Of Column Affinity"
  if (type === 'string')
    return /int/i.test(declared) || !/char|clob|text/i.test(declared) ? rules.mixed : text
  return rules[type as keyof typeof rules] ?? rules.mixed
}

/** Condition on all rows of a table: holds where GDAL gives a value of the column as another, and maybe where it does not. */
export function mayBeMisread(column: TableColumn): string {
  return column.type === undefined ? '1' : ruleOf(column).isDoubtful(quoteName(column.name))
}

/** What a column that has only values of its datatype is declared as. */
export function declarationOf(column: TableColumn): string {
  return ruleOf(column).declare
}

/** Condition on a row: holds where the value is none of the datatype of its column. */
export function isBadValue(column: TableColumn): string {
  return `(${ruleOf(column).isBad(quoteName(column.name))})`
}

/** The value of a column, exactly; none where it is bad. */
export function exactValue(column: TableColumn): string {
  const value = quoteName(column.name)
  const isBad = isBadValue(column)
  if (ruleOf(column).title !== text.title) return `case when not ${isBad} then ${value} end`
  // GDAL gives fifteen digits of a number among texts.
  const short = `printf('%!.15g', ${value})`
  const digits = `case cast(${short} as real) when ${value} then ${short} else printf('%!.17g', ${value}) end`
  return `case when ${isBad} then null when typeof(${value}) = 'real' then ${digits} else ${value} end`
}

/** Says in words what is bad about a value. */
export function faultOf(column: TableColumn): string {
  const value = quoteName(column.name)
  const text = `'"' || substr(replace(${value}, char(0), char(0xfffd)), 1, 80) || '"'`
  const shown = `case typeof(${value}) when 'text' then ${text} when 'blob' then 'its bytes' else ${value} end`
  return `${quoteText(`${column.name}: `)} || ${shown} || ${quoteText(` is no ${ruleOf(column).title}`)}`
}
