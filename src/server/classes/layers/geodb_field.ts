import type { Field } from '../../../contract/classes/feature_layer.ts'
import { joinPointer } from '../../../core/pointer.ts'
import { findHint } from '../../../core/suggest.ts'
import { uniqueName } from '../../../core/unique_name.ts'
import type { FieldChange } from '../../../store/layer/field_change.ts'
import type { FieldRow } from '../../../store/layer/layer_field.ts'
import type { PlannedField } from '../../../store/layer/plan_fields.ts'
import { planFields } from '../../../store/layer/plan_fields.ts'
import type { Layer, LayerField } from '../../../store/layer/stored_layer.ts'
import type { FoundTable } from '../../geodb/inspect_table.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { fieldChangeOf } from '../layer_field.ts'

const place = '/feature_layer/fields'

/**
 * Returns the fields of a new layer: a field for each column, or the fields in the request.
 *
 * @throws {Problem} request/invalid for a field without a column, or with another datatype than its column
 */
export function pickFields(table: FoundTable, listed: readonly Field[] | undefined): PlannedField[] {
  if (listed === undefined) return [...table.fields]
  const fields = listed.flatMap((field, at) => {
    if (field.delete === true) return []
    const column = getColumn(table, field, at)
    return [
      {
        ...column,
        ...definedOf(fieldChangeOf(field)),
        displayName: field.display_name ?? column.displayName,
      },
    ]
  })
  return planFields(fields)
}

/**
 * Returns the fields of a layer whose table was read again: existing fields are kept if their column still exists.
 *
 * @param options.addsNew whether to add fields for columns without a field
 */
export function keepFields(
  { fields }: Layer,
  table: FoundTable,
  { addsNew }: { readonly addsNew: boolean },
): FieldRow[] {
  const columns = new Map(table.fields.map((field) => [field.foreign?.name, field]))
  const kept = fields.flatMap((field) => {
    const column = columns.get(field.foreign?.name)
    return column === undefined
      ? []
      : [{ ...field, datatype: column.datatype, foreign: column.foreign ?? null }]
  })
  if (!addsNew) return kept
  const taken = new Set(kept.map(({ foreign }) => foreign?.name ?? ''))
  const added = table.fields.filter(({ foreign }) => !taken.has(foreign?.name ?? ''))
  const shown = new Set(kept.map(({ displayName }) => displayName))
  return [
    ...kept,
    ...planFields(added, fields).map((field) => ({ ...field, displayName: freeName(field, shown) })),
  ]
}

/** Finds an unused display name, since another field may have the name of the new column. */
function freeName({ keyname, displayName = keyname }: PlannedField, shown: ReadonlySet<string>): string {
  return uniqueName(displayName, { isTaken: (name) => shown.has(name), suffix: (number) => ` ${number}` })
}

/**
 * Reads the changes of fields. Keyname and datatype come from the column and cannot change. Dropping a field keeps its
 * column; a new field needs a column without a field.
 *
 * @param table the inspected table, if a listed field is new
 * @throws {Problem} request/invalid
 */
export function describeChanges(
  layer: Layer,
  listed: readonly Field[],
  table: FoundTable | undefined,
): FieldChange[] {
  return listed.map((field, at) => {
    const current = layer.fields.find(({ id, keyname }) =>
      field.id === undefined ? keyname === field.keyname : id === field.id,
    )
    const change = fieldChangeOf(field)
    if (current !== undefined && field.delete !== true) checkColumn(current, field, at)
    if (current !== undefined || field.delete === true || table === undefined) return change
    return { ...change, foreign: getColumn(table, field, at).foreign }
  })
}

function getColumn(table: FoundTable, field: Field, at: number): PlannedField {
  const names = table.fields.map(({ keyname }) => keyname)
  const column = table.fields.find(({ keyname }) => keyname === field.keyname)
  const pointer = joinPointer(joinPointer(place, at), 'keyname')
  if (column === undefined) {
    const text = `table "${table.foreign.table}" has no column for the field "${field.keyname}"`
    throw invalidAt(pointer, text, findHint(field.keyname, names))
  }
  checkColumn(column, field, at)
  return column
}

function checkColumn(
  { keyname, datatype }: Pick<LayerField, 'keyname' | 'datatype'>,
  field: Field,
  at: number,
): void {
  const pointer = joinPointer(place, at)
  if (field.keyname !== keyname)
    throw invalidAt(
      joinPointer(pointer, 'keyname'),
      `the field "${keyname}" is named after its column and cannot be renamed`,
    )
  if (field.datatype !== datatype)
    throw invalidAt(
      joinPointer(pointer, 'datatype'),
      `the column of "${keyname}" is ${datatype}, not ${field.datatype}`,
    )
}

function definedOf(change: FieldChange): FieldChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
