import type { Datatype } from '../../contract/geometry.ts'
import { reservedKeynames } from '../../contract/keyname.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { columnTypes } from '../feature/feature_sql.ts'
import { conversionOf } from './field_convert.ts'
import { type FieldRow, writeFields } from './layer_field.ts'
import { type NewField, planFields } from './plan_fields.ts'
import type { Layer, LayerField } from './stored_layer.ts'

/** A change to an existing field, named by its id, or a new field. Absent members keep their value. */
export interface FieldChange extends Partial<NewField> {
  readonly id?: number | undefined
  /** Drops the field, with its values. */
  readonly isDropped?: boolean | undefined
}

/** Changes to the fields of a layer. */
export interface FieldChanges {
  readonly changes: readonly FieldChange[]
  /** Called before values are dropped or converted. */
  readonly beforeLoss?: (() => Promise<void>) | undefined
}

/** A field before and after the change; `old` is undefined for a new field. */
type ChangedField = { readonly old: LayerField | undefined; readonly row: FieldRow }

/**
 * Adds, renames, converts, drops, flags and reorders the fields of a layer. Fields without a change are kept, after
 * those with one. A change without id refers to the field with its keyname, if there is one.
 *
 * @returns whether values changed
 * @throws {Problem} request/invalid for unknown ids, duplicate or reserved names, and values that cannot be converted
 */
export async function changeFields(
  tx: Queryable,
  layer: Layer,
  { changes, beforeLoss }: FieldChanges,
): Promise<boolean> {
  const matched = matchChanges(layer, changes)
  const dropped = matched.flatMap(({ old, change }) => (old !== undefined && change.isDropped ? [old] : []))
  const wanted = orderFields(layer, matched)
  requireValidNames(wanted.map(({ row }) => row))
  const converted = wanted.flatMap(({ old, row }) =>
    old !== undefined && old.datatype !== row.datatype ? [{ old, row }] : [],
  )
  const { tableName } = layer
  for (const change of converted) if (tableName !== null) await requireConvertible(tx, tableName, change)
  if (dropped.length + converted.length > 0) await beforeLoss?.()
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
  const ids = new Set(changes.flatMap(({ id }) => (id === undefined ? [] : [id])))
  if (ids.size < changes.filter(({ id }) => id !== undefined).length)
    throw invalid('a field id is used more than once')
  return changes.map((change) => {
    if (change.id === undefined) {
      return { change, old: fields.find(({ id, keyname }) => keyname === change.keyname && !ids.has(id)) }
    }
    const old = fields.find(({ id }) => id === change.id)
    if (old === undefined) throw invalid(`layer ${resourceId} has no field with id ${change.id}`)
    return { change, old }
  })
}

function orderFields({ fields }: Layer, matched: readonly Matched[]): ChangedField[] {
  const changed = new Set(matched.map(({ old }) => old?.id))
  const unchanged = fields.filter(({ id }) => !changed.has(id)).map((old) => ({ old, row: old }))
  const kept = matched.filter(({ change }) => !change.isDropped)
  const added = planFields(
    kept.filter(({ old }) => old === undefined).map(({ change }) => newField(change)),
    fields,
  )
  const named = kept.map(({ old, change }): ChangedField => {
    if (old === undefined) return { old, row: added.shift() as FieldRow }
    return { old, row: { ...old, ...definedMembers(change), id: old.id, columnName: old.columnName } }
  })
  return [...named, ...unchanged]
}

/** Removes undefined members, so that they do not overwrite existing values. */
function definedMembers(change: FieldChange): Partial<NewField> {
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
 * Makes sure that keynames and display names are unique and keynames are not reserved.
 *
 * @throws {Problem} request/invalid
 */
export function requireValidNames(fields: readonly Pick<NewField, 'keyname' | 'displayName'>[]): void {
  const keynames = fields.map(({ keyname }) => keyname)
  const displayNames = fields.map(({ keyname, displayName }) => displayName ?? keyname)
  const reserved = keynames.find((name) => reservedKeynames.includes(name))
  if (reserved !== undefined) throw invalid(`the keyname "${reserved}" is reserved`)
  const duplicate = findDuplicate(keynames)
  if (duplicate !== undefined) throw invalid(`duplicate keyname "${duplicate}"`)
  const duplicateDisplayName = findDuplicate(displayNames)
  if (duplicateDisplayName !== undefined) throw invalid(`duplicate display name "${duplicateDisplayName}"`)
}

function findDuplicate(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index)
}

/** Makes the last field that the request flags as label the only label field. */
function keepOneLabel(matched: readonly Matched[], wanted: readonly ChangedField[]): FieldRow[] {
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

/** Counts the values of a field that cannot be converted to another datatype. */
export async function countUnconvertible(
  tx: Queryable,
  {
    tableName,
    field,
    datatype,
  }: { readonly tableName: string; readonly field: LayerField; readonly datatype: Datatype },
): Promise<number> {
  const { fits } = conversionOf(field.datatype, datatype, field.columnName)
  const [row] = await tx.query<{ count: string }>(
    `select count(*) as count from ${tableName} where ${field.columnName} is not null and not (${fits})`,
  )
  return Number(row?.count ?? 0)
}

async function requireConvertible(tx: Queryable, tableName: string, { old, row }: Converted): Promise<void> {
  const { fits } = conversionOf(old.datatype, row.datatype, old.columnName)
  const column = old.columnName
  const rows = await tx.query<{ id: number; value: string }>(
    `select id, ${column}::text as value from ${tableName}
      where ${column} is not null and not (${fits}) order by id limit 3`,
  )
  if (rows.length === 0) return
  const examples = rows.map(({ id, value }) => `feature ${id} has ${JSON.stringify(value)}`)
  throw invalid(
    `some values of field "${old.keyname}" cannot be converted from ${old.datatype} to ${row.datatype}: ${examples.join(', ')}`,
  )
}

function invalid(message: string): Error {
  return problem('request/invalid', message)
}
