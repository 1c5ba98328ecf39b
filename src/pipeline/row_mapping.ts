import type { Field } from '../contract/classes/feature_layer.ts'
import { datatypeCodecs } from '../contract/datatype_codec.ts'
import type { Datatype } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import { findHint } from '../core/suggest.ts'
import type { Check, GeometryColumns } from './pipeline_schema.ts'

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
}

/** Values of a valid row in the order of `CompiledMapping.header`, or the reason why the row is invalid. */
export type CheckedRow = { readonly values: readonly string[] } | { readonly reason: string }

/** A mapping with resolved column indexes. */
export interface CompiledMapping {
  /** Names of the values of a checked row: geometry columns first, then fields. */
  readonly header: readonly string[]
  readonly checkRow: (cells: readonly string[]) => CheckedRow
}

type CellCheck = (text: string) => string | undefined

interface MappedCell {
  readonly name: string
  readonly index: number
  readonly check: CellCheck
}

/**
 * Compiles a mapping: resolves names to column indexes once, so that a row needs array look-ups only.
 *
 * @throws {Problem} usage/bad-argument for a column or field that does not exist
 */
export function compileMapping(mapping: RowMapping): CompiledMapping {
  const cells = [...geometryCells(mapping), ...fieldCells(mapping)]
  return {
    header: cells.map((cell) => cell.name),
    checkRow: (row) => checkRow(cells, row, mapping.columns.length),
  }
}

function checkRow(cells: readonly MappedCell[], row: readonly string[], width: number): CheckedRow {
  if (row.length !== width) return { reason: `expected ${countOf(width, 'column')}, got ${row.length}` }
  const values: string[] = []
  for (const { name, index, check } of cells) {
    const text = row[index] ?? ''
    const fault = check(text)
    if (fault !== undefined) return { reason: `${name}: ${fault}` }
    values.push(text)
  }
  return { values }
}

function geometryCells({ columns, geometry, check }: RowMapping): MappedCell[] {
  if ('wkt' in geometry) {
    return [
      {
        name: 'wkt',
        index: indexOf(columns, geometry.wkt),
        check: (text) => (text.trim() === '' ? 'is empty' : undefined),
      },
    ]
  }
  const [west = -180, south = -90, east = 180, north = 90] = check?.bbox ?? []
  return [
    { name: 'longitude', index: indexOf(columns, geometry.longitude), check: degreesBetween(west, east) },
    { name: 'latitude', index: indexOf(columns, geometry.latitude), check: degreesBetween(south, north) },
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

function fieldCells({ columns, fields, fieldColumns, check }: RowMapping): MappedCell[] {
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
    }))
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
  const { parse, expected } = datatypeCodecs[datatype]
  if (parse(text) !== undefined) return undefined
  return datatype === 'STRING' ? 'contains a character that cannot be stored' : `"${text}" is not ${expected}`
}
