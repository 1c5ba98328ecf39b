import type { Field } from '../contract/classes/feature_layer.ts'
import { datatypeCodecs, findStringFault, trimValue } from '../contract/datatype_codec.ts'
import type { Datatype } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import { findHint } from '../core/suggest.ts'
import { formatCsvRow, gatherText } from './csv.ts'
import type { Check, GeometryColumns, ImportPipeline } from './pipeline_schema.ts'
import type { Quarantine } from './quarantine.ts'
import { openCsv, type Table } from './readers/csv.ts'
import type { TargetLayer } from './target_layer.ts'

/** A table of checked rows, as a CSV stream for upload. */
export interface CheckedTable {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Number of rows read and sent so far. */
  readonly tally: { read: number; sent: number }
  /** Fields of the layer without a column. */
  readonly absentFields: readonly string[]
  /** Values of the key fields in the bad rows so far; undefined for a row that does not tell. Empty without a key. */
  readonly badKeys: readonly (readonly string[] | undefined)[]
}

/** Input of checking a table. */
export interface TableCheck {
  readonly path: string
  readonly pipeline: ImportPipeline
  readonly layer: TargetLayer
  readonly quarantine: Quarantine
  /** Called regularly with the number of rows and bytes read so far. */
  readonly onProgress: (rows: number, bytesRead: number) => void
}

/** Mapping of the columns of a table to the fields and the geometry of a layer. */
export interface RowMapping {
  /** Columns of the table, in order. */
  readonly columns: readonly string[]
  /** Fields of the layer. */
  readonly fields: readonly Field[]
  /** Column of each field; if absent, fields are read from the columns with the same name. */
  readonly fieldColumns?: Readonly<Record<string, string>> | undefined
  readonly geometry: GeometryColumns
  readonly check?: Check | undefined
  /** Keynames of the fields that identify a row. */
  readonly key?: readonly string[]
  /** Decimal separator of the numbers of the table. @default '.' */
  readonly decimal?: '.' | ',' | undefined
}

/** Values of a valid row in the order of `CompiledMapping.header`, or the reason why the row is invalid. */
type CheckedRow = { readonly values: readonly string[] } | { readonly reason: string }

/** A mapping with resolved column indexes. */
interface CompiledMapping {
  /** Names of the values of a checked row: geometry columns first, then fields. */
  readonly header: readonly string[]
  /** @param damagedEncoding encoding of the cells, if U+FFFD in them stands for invalid bytes */
  /** Returns the values of the key fields; undefined for a row with another number of cells. */
  readonly keyOf: (cells: readonly string[]) => readonly string[] | undefined
  readonly checkRow: (cells: readonly string[], damagedEncoding?: string) => CheckedRow
}

type CellCheck = (text: string) => string | undefined

interface MappedCell {
  readonly name: string
  readonly index: number
  readonly check: CellCheck
  /** Whether the cells are numbers with a decimal comma. */
  readonly hasComma: boolean
  /** Values of the rows so far, in one notation; absent if values may repeat. */
  readonly seen?: UniqueValues
}

interface UniqueValues {
  /** Tells whether an earlier row has a value. */
  has(text: string): boolean
  add(text: string): void
}

/**
 * Opens a delimited text table for loading. Checks each row against the fields of the layer and the checks of the
 * pipeline while streaming; bad rows go to the quarantine instead of the server.
 *
 * @throws {Problem} usage/bad-argument for columns and fields that do not exist, source/unreadable
 */
export async function openCheckedTable({
  path,
  pipeline,
  layer,
  ...check
}: TableCheck): Promise<CheckedTable> {
  const { csv, encoding, geometry, fields } = pipeline.from
  if (geometry === undefined) {
    throw problem('usage/bad-argument', 'Loading a table requires from.geometry.', {
      hint: 'Name the columns: geometry: { longitude: lon, latitude: lat }.',
    })
  }
  const key = [pipeline.to.key ?? []].flat()
  const table = await openCsv(path, { csv, encoding })
  const mapping = compileMapping({
    columns: table.columns,
    fields: layer.fields,
    fieldColumns: fields,
    geometry,
    check: pipeline.check,
    key,
    decimal: csv?.decimal,
  })
  const tally = { read: 0, sent: 0 }
  const badKeys: (readonly string[] | undefined)[] = []
  const onBad = (cells: readonly string[]) => {
    if (key.length > 0) badKeys.push(mapping.keyOf(cells))
  }
  const filled = new Set(mapping.header)
  const absentFields = layer.fields.flatMap(({ keyname }) => (filled.has(keyname) ? [] : [keyname]))
  const bytes = gatherText(checkedRows(table, mapping, { ...check, tally, onBad }))
  return { tally, absentFields, badKeys, bytes }
}

/** Number of rows between progress reports. */
const progressEvery = 5000

interface Checking extends Pick<TableCheck, 'quarantine' | 'onProgress'> {
  readonly tally: CheckedTable['tally']
  readonly onBad: (cells: readonly string[]) => void
}

async function* checkedRows(
  table: Table,
  { header, checkRow }: CompiledMapping,
  { tally, quarantine, onBad, onProgress }: Checking,
): AsyncGenerator<string, void> {
  yield formatCsvRow(header)
  for await (const { line, cells, damagedEncoding } of table.rows) {
    tally.read += 1
    const checked = checkRow(cells, damagedEncoding)
    if ('reason' in checked) {
      onBad(cells)
      await quarantine.add({ line, reason: checked.reason, cells })
    } else {
      tally.sent += 1
      yield formatCsvRow(checked.values)
    }
    if (tally.read % progressEvery === 0) onProgress(tally.read, table.bytesRead())
  }
  onProgress(tally.read, table.bytesRead())
}

/**
 * Compiles a mapping: resolves names to column indexes once, so that a row needs array look-ups only.
 *
 * @throws {Problem} usage/bad-argument for a column or field that does not exist
 */
export function compileMapping(mapping: RowMapping): CompiledMapping {
  const fields = fieldCells(mapping)
  const cells = [...geometryCells(mapping), ...fields]
  const keyCells = (mapping.key ?? []).map((key) => fields.find(({ name }) => name === key))
  return {
    header: cells.map((cell) => cell.name),
    keyOf: (row) =>
      row.length === mapping.columns.length
        ? keyCells.map((cell) => pointed(row[cell?.index ?? -1] ?? '', cell?.hasComma))
        : undefined,
    checkRow: (row, damagedEncoding) => {
      const { length } = mapping.columns
      if (row.length === length) return checkCells(cells, row, damagedEncoding)
      return { reason: `expected ${countOf(length, 'column')}, got ${row.length}` }
    },
  }
}

function checkCells(
  cells: readonly MappedCell[],
  row: readonly string[],
  damagedEncoding: string | undefined,
): CheckedRow {
  const values: string[] = []
  for (const { name, index, check, hasComma } of cells) {
    const text = row[index] ?? ''
    const isDamaged = damagedEncoding !== undefined && text.includes('\uFFFD')
    const value = pointed(text, hasComma)
    const fault = isDamaged ? `is not ${damagedEncoding}` : (findPointFault(text, hasComma) ?? check(value))
    if (fault !== undefined) return { reason: `${name}: ${fault}` }
    values.push(value)
  }
  // Only valid rows count: a row that is left out does not make another one invalid.
  const repeated = cells.findIndex(({ seen }, at) => seen?.has(values[at] ?? ''))
  if (repeated >= 0)
    return { reason: `${cells[repeated]?.name}: an earlier row has "${values[repeated]}", too` }
  for (const [at, { seen }] of cells.entries()) seen?.add(values[at] ?? '')
  return { values }
}

/** Writes a number with a decimal point. */
const pointed = (text: string, hasComma = false) => (hasComma ? text.replace(',', '.') : text)

/** A point in a number with a decimal comma separates thousands, or the file has decimal points. */
function findPointFault(text: string, hasComma: boolean): string | undefined {
  return hasComma && text.includes('.') ? `"${text}" is not a number with a decimal comma` : undefined
}

function geometryCells({ columns, geometry, check, decimal }: RowMapping): MappedCell[] {
  if ('wkt' in geometry) {
    return [
      {
        name: 'wkt',
        index: indexOf(columns, geometry.wkt),
        check: (text) => (text.trim() === '' ? 'is empty' : undefined),
        hasComma: false,
      },
    ]
  }
  const [west = -180, south = -90, east = 180, north = 90] = check?.bbox ?? []
  const hasComma = decimal === ','
  const cellOf = (name: string, column: string, degrees: readonly [number, number]) => ({
    ...{ name, index: indexOf(columns, column), check: degreesBetween(...degrees), hasComma },
  })
  return [
    cellOf('longitude', geometry.longitude, [west, east]),
    cellOf('latitude', geometry.latitude, [south, north]),
  ]
}

function degreesBetween(least: number, most: number): CellCheck {
  return (text) => {
    const fault = text === '' ? 'is empty' : findTextFault('REAL', text)
    if (fault !== undefined) return fault
    const value = Number(text)
    return value < least || value > most ? `${text} is not between ${least} and ${most}` : undefined
  }
}

function fieldCells({ columns, fields, fieldColumns, check, decimal }: RowMapping): MappedCell[] {
  const names = fields.map((field) => field.keyname)
  const mapped = fieldColumns ?? sameNames(columns, names)
  for (const name of [...Object.keys(mapped), ...Object.keys(check?.fields ?? {})])
    requireName(names, name, 'field of the layer')
  return fields
    .filter(({ keyname }) => Object.hasOwn(mapped, keyname))
    .map(({ keyname, datatype }) => ({
      name: keyname,
      index: indexOf(columns, mapped[keyname] ?? keyname),
      check: cellCheck(datatype, check?.fields?.[keyname]),
      hasComma: decimal === ',' && datatype === 'REAL',
      ...(check?.fields?.[keyname]?.unique ? { seen: uniqueValues(datatype) } : {}),
    }))
}

/** Compares values as the layer stores them: 1 and 1.0 are the same number. */
function uniqueValues(datatype: Datatype): UniqueValues {
  const seen = new Set<string>()
  const canonical = (text: string) => {
    const value = trimValue(datatype, text)
    return datatype === 'STRING' ? value : String(datatypeCodecs[datatype].parse(value) ?? value)
  }
  return {
    has: (text) => text !== '' && seen.has(canonical(text)),
    add: (text) => {
      if (text !== '') seen.add(canonical(text))
    },
  }
}

function sameNames(columns: readonly string[], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.filter((name) => columns.includes(name)).map((name) => [name, name]))
}

function cellCheck(datatype: Field['datatype'], rule: NonNullable<Check['fields']>[string] = {}): CellCheck {
  const pattern = rule.pattern === undefined ? undefined : new RegExp(rule.pattern, 'u')
  const words = rule.values === undefined ? undefined : new Set(rule.values)
  return (text) => {
    if (text === '') return rule.required ? 'is empty' : undefined
    const fault = findTextFault(datatype, text)
    if (fault !== undefined) return fault
    if (rule.minimum !== undefined && Number(text) < rule.minimum)
      return `${text} is less than ${rule.minimum}`
    if (rule.maximum !== undefined && Number(text) > rule.maximum)
      return `${text} is more than ${rule.maximum}`
    if (pattern !== undefined && !pattern.test(text)) return `"${text}" does not match ${rule.pattern}`
    return words === undefined || words.has(text) ? undefined : `"${text}" is not one of the allowed values`
  }
}

function indexOf(columns: readonly string[], name: string): number {
  requireName(columns, name, 'column of the file')
  return columns.indexOf(name)
}

function requireName(known: readonly string[], name: string, what: string): void {
  if (known.includes(name)) return
  throw problem('usage/bad-argument', `"${name}" is not a ${what}.`, {
    hint: findHint(name, known) ?? `use one of ${known.join(', ')}`,
  })
}

/**
 * Checks a string against a datatype.
 *
 * @returns why the string is not a value of the datatype; undefined if it is one
 */
export function findTextFault(datatype: Datatype, text: string): string | undefined {
  const { expected } = datatypeCodecs[datatype]
  const value = trimValue(datatype, text)
  if ((value === '' && text !== '') || datatypeCodecs[datatype].parse(value) !== undefined) return undefined
  return datatype === 'STRING' ? findStringFault(value) : `"${text}" is not ${expected}`
}
