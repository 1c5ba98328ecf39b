import type { Datatype } from '../../contract/geometry.ts'
import type { ForeignColumn } from './stored_layer.ts'

/** A field to create; absent members have the default of the contract. */
export interface NewField {
  readonly keyname: string
  readonly datatype: Datatype
  readonly displayName?: string | undefined
  readonly labelField?: boolean | undefined
  readonly gridVisibility?: boolean | undefined
  readonly textSearch?: boolean | undefined
  readonly lookupTableId?: number | null | undefined
  /** The column of the field in a table of another database. */
  readonly foreign?: ForeignColumn | null | undefined
}

/** A field with its column. */
export interface PlannedField extends NewField {
  readonly columnName: string
}

/** Assigns columns to new fields: `c1`, `c2`, … after existing ones. Field names never become part of SQL. */
export function planFields(
  fields: readonly NewField[],
  taken: readonly { readonly columnName: string }[] = [],
): PlannedField[] {
  const last = Math.max(0, ...taken.map(({ columnName }) => Number(columnName.slice(1))))
  return fields.map((field, index) => ({ ...field, columnName: `c${last + 1 + index}` }))
}
