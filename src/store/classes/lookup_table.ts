import type { lookupSorts } from '../../contract/classes/lookup_table.ts'
import { rowTable } from './row_table.ts'

/** A lookup table as it is kept. */
export interface LookupTableRow {
  /** Keys with their values, as they were given. */
  readonly items: readonly (readonly [key: string, value: string])[]
  readonly sort: (typeof lookupSorts)[number]
  /** Keys in the order of the items; null where the items have it themselves. */
  readonly key_order: readonly string[] | null
}

/** Lookup tables by resource id. */
export const lookupTables = rowTable<LookupTableRow>('lookup_table', {
  items: 'json',
  sort: 'text',
  key_order: 'json',
})
