import type { Datatype } from '../contract/geometry.ts'
import type { RowLayout, WantedFields } from '../gdal/runner/vector_job.ts'
import { leadingValues, type ValueRow, valueText } from './sync/row_entry.ts'

/** Keys that must identify one feature of a source each. */
export interface WantedKeys {
  /** Keyname of the field that identifies a feature. */
  readonly field: string
  /** Values of the field as text, as the server compares them. */
  readonly values: ReadonlySet<string>
}

/** Keys that do not identify one feature of a source. */
export interface KeyFaults {
  /** Keys that no feature has. */
  readonly missing: readonly string[]
  /** Keys that several features have, with their number. */
  readonly repeated: readonly (readonly [string, number])[]
}

/** Counts the features of a source that have wanted keys. */
export interface KeyCounter {
  add(row: ValueRow): void
  find(): KeyFaults
}

/**
 * Starts to count the features with wanted keys; undefined if it is not known which text the server makes of a value, or if the layer
 * will not have the field.
 *
 * @param declared datatypes that fields get after the load; those of the source if absent
 */
export function countKeys(
  { fields, keynames }: RowLayout,
  { field, values }: WantedKeys,
  declared: WantedFields['fields'] = [],
): KeyCounter | undefined {
  const column = keynames.indexOf(field)
  const to = declared.find(({ keyname }) => keyname === field)?.datatype
  const from = fields[column]?.datatype
  const format = from === undefined ? undefined : findFormat(from, to ?? from)
  if (from === undefined ? to === undefined : format === undefined) return undefined
  const counts = new Map([...values].map((value) => [value, 0]))
  return {
    add(row) {
      if (from === undefined || (row.lengths[leadingValues + column] ?? -1) < 0) return
      const key = format?.(JSON.parse(valueText(row, { keyname: field, datatype: from, column })))
      const count = key === undefined ? undefined : counts.get(key)
      if (key !== undefined && count !== undefined) counts.set(key, count + 1)
    },
    find: () => ({
      missing: [...counts].flatMap(([key, count]) => (count === 0 ? [key] : [])),
      repeated: [...counts].filter(([, count]) => count > 1),
    }),
  }
}

/** Finds how the server writes values of a field as text. Conversions that change more than the datatype are not repeated here. */
function findFormat(from: Datatype, to: Datatype): ((value: unknown) => string) | undefined {
  const isNumber = from === 'INTEGER' || from === 'BIGINT'
  if (isNumber && ['INTEGER', 'BIGINT', 'STRING'].includes(to)) return String
  return from === to && (from === 'STRING' || from === 'DATE') ? String : undefined
}
