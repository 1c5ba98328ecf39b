import { splitPointer } from '../../../core/pointer.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { findRecorded } from '../../model/owned_fields.ts'
import { partName, ruleName } from '../../model/rule_records.ts'
import { digestsWanted, isAsAnyRecorded } from '../match/former_keys.ts'
import type { RecordContext } from './removed_fields.ts'

/** Tells of each edit whether the manifest or the server changed the field since the last apply, by the recorded digests. */
export function withOrigins(
  edits: readonly Edit[],
  actual: ActualResource,
  context: RecordContext,
): readonly Edit[] {
  const recorded = findRecorded(actual, context.manifestId, context.names.principals)
  if (recorded === undefined || recorded.isEarlier || edits.length === 0) return edits
  const known = new Map<string, Edit['origin']>()
  return edits.map((edit) => {
    if (edit.secret || edit.released) return edit
    const name = nameOf(edit, context)
    if (!known.has(name))
      known.set(name, originOf(name, recorded.fields.get(name), { edit, actual, context }))
    const origin = known.get(name)
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

interface EditedField {
  readonly edit: Edit
  readonly actual: ActualResource
  readonly context: RecordContext
}

function originOf(name: string, digest: string | undefined, field: EditedField): Edit['origin'] {
  const { edit, actual, context } = field
  // A rule that was listed and is missing was removed on the server.
  if (name.startsWith('permissions/'))
    return digest !== undefined && edit.to !== undefined ? 'server' : 'manifest'
  if (digest === undefined || digest === '') return undefined
  if (isAsAnyRecorded({ name, digest }, actual, context)) return 'manifest'
  return digestsWanted(name, actual, context).includes(digest) ? 'server' : 'both'
}
