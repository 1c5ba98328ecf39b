import { reservedKeynames } from '../../contract/keyname.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { columnTypes } from '../feature/column_sql.ts'
import { conversionOf } from './field_convert.ts'
import { type FieldRow, writeFields } from './layer_field.ts'
import type { NewField } from './plan_fields.ts'
import { planFields } from './plan_fields.ts'
import type { Layer, LayerField } from './stored_layer.ts'

/** What a field is to be: one that stands, named by its id, or a new one. What is absent stays as it is. */
export interface FieldChange extends Partial<NewField> {
  readonly id?: number | undefined
  /** Drops the field, with its values. */
  readonly isDropped?: boolean | undefined
}

/** A new field has to say what it is. */
type Wanted = { readonly old: LayerField | undefined; readonly row: FieldRow }

/**
 * Changes the fields of a layer: adds, renames, converts, drops, flags and reorders them. Fields that are not named
 * stay, behind those that are. An entry without id that has the keyname of a field means that field.
 *
 * @returns whether values changed
 * @throws {Problem} request/invalid for unknown ids, names that clash or are reserved, and values that do not convert
 */
export async function changeFields(
  tx: Queryable,
  layer: Layer,
  changes: readonly FieldChange[],
): Promise<boolean> {
  const matched = matchChanges(layer, changes)
  const dropped = matched.flatMap(({ old, change }) => (old !== undefined && change.isDropped ? [old] : []))
  const wanted = orderFields(layer, matched)
  checkNames(wanted.map(({ row }) => row))
  const converted = wanted.flatMap(({ old, row }) =>
    old !== undefined && old.datatype !== row.datatype ? [{ old, row }] : [],
  )
  const { tableName } = layer
  for (const change of converted) if (tableName !== null) await refuseMisfits(tx, tableName, change)
  const steps = [
    ...dropped.map(({ columnName }) => `drop column ${columnName}`),
    ...wanted.flatMap(({ old, row }) => (old === undefined ? [addColumn(row)] : [])),
    ...converted.map(convertColumn),
  ]
  if (steps.length > 0 && tableName !== null) await tx.query(`alter table ${tableName} ${steps.join(', ')}`)
  await writeFields(tx, layer.resourceId, keepOneLabel(matched, wanted))
  return dropped.length > 0 || converted.length > 0
}

interface Matched {
  readonly change: FieldChange
  readonly old: LayerField | undefined
}

function matchChanges({ fields, resourceId }: Layer, changes: readonly FieldChange[]): Matched[] {
  const named = new Set(changes.flatMap(({ id }) => (id === undefined ? [] : [id])))
  if (named.size < changes.filter(({ id }) => id !== undefined).length)
    throw invalid('a field id is given twice')
  return changes.map((change) => {
    if (change.id === undefined) {
      return { change, old: fields.find(({ id, keyname }) => keyname === change.keyname && !named.has(id)) }
    }
    const old = fields.find(({ id }) => id === change.id)
    if (old === undefined) throw invalid(`layer ${resourceId} has no field with id ${change.id}`)
    return { change, old }
  })
}

function orderFields({ fields }: Layer, matched: readonly Matched[]): Wanted[] {
  const mentioned = new Set(matched.map(({ old }) => old?.id))
  const stay = fields.filter(({ id }) => !mentioned.has(id)).map((old) => ({ old, row: old }))
  const kept = matched.filter(({ change }) => !change.isDropped)
  const added = planFields(
    kept.filter(({ old }) => old === undefined).map(({ change }) => newField(change)),
    fields,
  )
  const named = kept.map(({ old, change }): Wanted => {
    if (old === undefined) return { old, row: added.shift() as FieldRow }
    return { old, row: { ...old, ...given(change), id: old.id, columnName: old.columnName } }
  })
  return [...named, ...stay]
}

/** Leaves out what a change does not say, so that it does not cover what stands. */
function given(change: FieldChange): Partial<NewField> {
  const entries = Object.entries(change).filter(
    ([name, value]) => value !== undefined && name !== 'isDropped',
  )
  return Object.fromEntries(entries)
}

function newField(change: FieldChange): NewField {
  const { keyname, datatype } = change
  if (keyname === undefined || datatype === undefined)
    throw invalid('a new field needs a keyname and a datatype')
  return { ...change, keyname, datatype }
}

/**
 * Makes sure that the fields of a layer can be told apart, by keyname and by display name.
 *
 * @throws {Problem} request/invalid
 */
export function checkNames(fields: readonly Pick<NewField, 'keyname' | 'displayName'>[]): void {
  const keynames = fields.map(({ keyname }) => keyname)
  const displayNames = fields.map(({ keyname, displayName }) => displayName ?? keyname)
  const taken = keynames.find((name) => reservedKeynames.includes(name))
  if (taken !== undefined) throw invalid(`"${taken}" cannot be the keyname of a field`)
  const twice = findTwice(keynames)
  if (twice !== undefined) throw invalid(`the keyname "${twice}" is used twice`)
  const shownTwice = findTwice(displayNames)
  if (shownTwice !== undefined) throw invalid(`the display name "${shownTwice}" is used twice`)
}

function findTwice(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index)
}

/** A layer has one label: of the fields that a request makes the label, the last. */
function keepOneLabel(matched: readonly Matched[], wanted: readonly Wanted[]): FieldRow[] {
  const chosen = matched.findLast(({ change }) => change.labelField === true && !change.isDropped)?.change
  if (chosen === undefined) return wanted.map(({ row }) => row)
  const label = wanted.findLast(({ old, row }) =>
    chosen.id === undefined ? row.keyname === chosen.keyname : old?.id === chosen.id,
  )
  return wanted.map((field) => ({ ...field.row, labelField: field === label }))
}

interface Converted {
  readonly old: LayerField
  readonly row: FieldRow
}

function addColumn({ columnName, datatype }: FieldRow): string {
  return `add column ${columnName} ${columnTypes[datatype]}`
}

function convertColumn({ old, row }: Converted): string {
  const { value } = conversionOf(old.datatype, row.datatype, old.columnName)
  return `alter column ${old.columnName} type ${columnTypes[row.datatype]} using ${value}`
}

async function refuseMisfits(tx: Queryable, tableName: string, { old, row }: Converted): Promise<void> {
  const { fits } = conversionOf(old.datatype, row.datatype, old.columnName)
  const column = old.columnName
  const rows = await tx.query<{ id: number; value: string }>(
    `select id, ${column}::text as value from ${tableName}
      where ${column} is not null and not (${fits}) order by id limit 3`,
  )
  if (rows.length === 0) return
  const examples = rows.map(({ id, value }) => `feature ${id} has ${JSON.stringify(value)}`)
  throw invalid(
    `the values of field "${old.keyname}" do not all convert from ${old.datatype} to ${row.datatype}: ${examples.join(', ')}`,
  )
}

function invalid(message: string): Error {
  return problem('request/invalid', message)
}
