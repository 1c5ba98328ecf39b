import { datatypeCodecs, parseTrimmed } from '../contract/datatype_codec.ts'
import type { Datatype } from '../contract/geometry.ts'
import type { RowLayout, WantedFields } from '../gdal/runner/vector_job.ts'
import { leadingValues, type ValueRow, valueText } from './sync/row_entry.ts'

/** Keys that must identify one feature of a source each. */
export interface WantedKeys {
  /** Keyname of the field that identifies a feature. */
  readonly field: string
  /** Values of the field as the codec of its datatype prints them. */
  readonly values: ReadonlySet<string>
}

/** Keys that do not identify one feature of a source. */
export interface KeyFaults {
  /** Keys that no feature has. */
  readonly missing: readonly string[]
  /** How missing keys are written that are other forms of values, such as `2020-01-31` for `2020/1/31`. */
  readonly written: ReadonlyMap<string, string>
  /** Keys that several features have, with their number. */
  readonly repeated: readonly (readonly [string, number])[]
}

/** Counts the features of a source that have wanted keys. */
export interface KeyCounter {
  add(row: ValueRow): void
  find(): KeyFaults
}

/**
 * Starts to count the features with wanted keys; undefined if it is not known which value a conversion after the load makes of a
 * value, or if the layer will not have the field.
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
  if (from === undefined ? to === undefined : !printsSame(from, to ?? from)) return undefined
  const counts = new Map([...values].map((value) => [value, 0]))
  return {
    add(row) {
      if (from === undefined || (row.lengths[leadingValues + column] ?? -1) < 0) return
      const key = printValue(valueText(row, { keyname: field, datatype: from, column }), from)
      const count = counts.get(key)
      if (count !== undefined) counts.set(key, count + 1)
    },
    find: () => {
      const missing = [...counts].flatMap(([key, count]) => (count === 0 ? [key] : []))
      return {
        missing,
        written: new Map(missing.flatMap((key) => findOtherForm(to ?? from ?? 'STRING', key))),
        repeated: [...counts].filter(([, count]) => count > 1),
      }
    },
  }
}

/** Tells whether values are printed the same after a conversion. */
function printsSame(from: Datatype, to: Datatype): boolean {
  const isInteger = from === 'INTEGER' || from === 'BIGINT'
  return from === to || (isInteger && ['INTEGER', 'BIGINT', 'STRING'].includes(to))
}

/** Prints a value that is written as JSON. */
function printValue(text: string, datatype: Datatype): string {
  // Integers beyond 2^53 stay as they are.
  return datatype === 'INTEGER' || datatype === 'BIGINT' ? text : String(JSON.parse(text))
}

/** Returns how a key is written that is another form of a value. */
function findOtherForm(datatype: Datatype, key: string): [key: string, written: string][] {
  const value = parseTrimmed(datatype, key)
  const written = value === undefined ? key : datatypeCodecs[datatype].print(value)
  return written === key ? [] : [[key, written]]
}
