import type { Schema } from '../../contract/schema/schema.ts'
import { splitPointer } from '../../core/pointer.ts'
import type { FieldDrift } from '../drift/drift.ts'
import type { Edit } from '../model/change.ts'
import { type Entries, entriesOf } from '../model/entries.ts'
import type { LineOf } from './narrow_edits.ts'

/** What the manifest keeps of a field, because it changed it since the last apply. */
export interface KeptParts {
  /** Names of entries: keys of maps and of items of lists, lines of rules. */
  readonly names: ReadonlySet<string>
  /** Whether the order of a list stays, too. */
  readonly order: boolean
}

/** Lists the parts of a field that only the manifest changed, or that both did. */
export function listKept(fields: readonly FieldDrift[], field: string): KeptParts {
  const names = new Set<string>()
  let order = false
  for (const { edit, origin } of fields) {
    if (edit === undefined || origin === 'server' || origin === 'unknown') continue
    if (fieldOfEdit(edit) !== field) continue
    const name = entryOfEdit(edit)
    if (name === undefined) order = true
    else names.add(name)
  }
  return { names, order }
}

/** Name of the field that an edit is about. */
export function fieldOfEdit({ pointer }: Pick<Edit, 'pointer'>): string {
  const [block = '', field] = splitPointer(pointer)
  return field === undefined ? block : `${block}.${field}`
}

/** Name of the entry of a field that an edit changes; undefined for the order, and for the whole field. */
export function entryOfEdit({
  pointer,
  from,
  to,
}: Pick<Edit, 'pointer' | 'from' | 'to'>): string | undefined {
  return pointer === '/permissions' ? String(to ?? from) : splitPointer(pointer)[2]
}

/** A field of a manifest, and as the server has it, in manifest form. */
export interface FieldSides {
  readonly here: unknown
  readonly there: unknown
  readonly schema?: Schema | undefined
  /** For a list in any order: names of its items. */
  readonly lineOf?: LineOf | undefined
}

/**
 * Returns the value of the server with the entries that the manifest keeps; undefined if the value has no entries, so that it could
 * only be taken as a whole.
 */
export function mergeEntries(sides: FieldSides, { names, order }: KeptParts): unknown {
  if (names.size === 0 && !order) return sides.there
  const [here, there] = [indexSide(sides, sides.here), indexSide(sides, sides.there)]
  if (here === undefined || there === undefined) return undefined
  const taken = [...there].flatMap(([name, value]): [string, unknown][] => {
    if (!names.has(name)) return [[name, value]]
    return here.has(name) ? [[name, here.get(name)]] : []
  })
  const merged = insertKept(taken, here, names)
  const sorted = order ? inOrderOf(here, merged) : merged
  return Array.isArray(sides.there) ? sorted.map(([, value]) => value) : Object.fromEntries(sorted)
}

function indexSide({ schema, lineOf }: FieldSides, value: unknown): Entries | undefined {
  if (lineOf !== undefined)
    return Array.isArray(value) ? new Map(value.map((item) => [lineOf(item), item])) : undefined
  return schema === undefined ? undefined : entriesOf(schema, value)
}

/** Inserts what only the manifest has behind what precedes it there. */
function insertKept(
  taken: readonly (readonly [string, unknown])[],
  here: Entries,
  names: ReadonlySet<string>,
): (readonly [string, unknown])[] {
  const merged = [...taken]
  const order = [...here.keys()]
  for (const [at, name] of order.entries()) {
    if (!names.has(name) || merged.some(([one]) => one === name)) continue
    const before = new Set(order.slice(0, at))
    const last = merged.findLastIndex(([one]) => before.has(one))
    merged.splice(last + 1, 0, [name, here.get(name)])
  }
  return merged
}

/** Puts entries into the order of the manifest; those that only the server has follow them. */
function inOrderOf(here: Entries, merged: readonly (readonly [string, unknown])[]) {
  const values = new Map(merged)
  const known = [...here.keys()].filter((name) => values.has(name))
  const others = merged.filter(([name]) => !here.has(name))
  return [...known.map((name) => [name, values.get(name)] as const), ...others]
}
