import { splitPointer } from '../../../core/pointer.ts'
import { identifyLine } from '../../model/access_rules.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { type EntrySides, originOfEntry, withoutEntries } from '../../model/entries.ts'
import { findEntries } from '../../model/owned_fields.ts'
import { partName, ruleName } from '../../model/rule_records.ts'
import { digestsWanted, isAsAnyRecorded } from '../match/former_keys.ts'
import type { RecordContext } from './removed_fields.ts'

/** Tells of each edit whether the manifest or the server changed the field since the last apply, by the recorded digests. */
export function withOrigins(
  edits: readonly Edit[],
  actual: ActualResource,
  context: RecordContext,
): readonly Edit[] {
  const { recorded } = context
  if (recorded === undefined || recorded.isEarlier || edits.length === 0) return edits
  const known = new Map<string, FieldOrigin>()
  return edits.map((edit) => {
    if (edit.secret || edit.released) return edit
    const name = nameOf(edit, context)
    const found = known.get(name) ?? originOf(name, recorded.fields.get(name), { edit, actual, context })
    known.set(name, found)
    const { entries } = found
    const entry = entries && originOfEntry(entryOf(edit, context), entries)
    const origin = entry ?? found.origin
    return origin === undefined ? edit : { ...edit, origin }
  })
}

/** Name of a field in the record of the manifest. */
function nameOf({ pointer, from, to }: Edit, { owned, names }: RecordContext): string {
  const [block = '', field] = splitPointer(pointer)
  if (block === 'permissions')
    return owned.has(block) ? block : ruleName(String(to ?? from), names.principals.ids)
  if (block === 'resmeta') return owned.has(block) ? block : partName(block, field ?? '')
  return field === undefined ? block : `${block}.${field}`
}

/** Name of the entry of a map or list that an edit changes; undefined if it changes the order. */
function entryOf({ pointer, from, to }: Edit, { names }: RecordContext): string | undefined {
  const [block, ...path] = splitPointer(pointer)
  if (block === 'permissions') return identifyLine(String(to ?? from), names.principals.ids)
  return block === 'resmeta' ? path[0] : path[1]
}

interface EditedField {
  readonly edit: Edit
  readonly actual: ActualResource
  readonly context: RecordContext
}

interface FieldOrigin {
  /** Of the whole field. */
  readonly origin?: Edit['origin']
  /** Present if both sides changed a map or a list: each of its entries has an origin. */
  readonly entries?: EntrySides
}

function originOf(
  name: string,
  digest: string | undefined,
  { edit, actual, context }: EditedField,
): FieldOrigin {
  // A rule that was listed and is missing was removed on the server.
  if (name.startsWith('permissions/'))
    return { origin: digest !== undefined && edit.to !== undefined ? 'server' : 'manifest' }
  if (digest === undefined || digest === '') return {}
  if (isAsAnyRecorded({ name, digest }, actual, context)) return { origin: 'manifest' }
  if (digestsWanted(name, actual, context).includes(withoutEntries(digest))) return { origin: 'server' }
  const entries = findEntries(name, context.owned.get(name), { actual, names: context.names })
  return { origin: 'both', ...(entries === undefined ? {} : { entries: { ...entries, digest } }) }
}
