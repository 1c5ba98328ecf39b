import { fieldMarkKey, formatFieldMark, type SetFields } from '../../../contract/field_marks.ts'
import type { Manifest, WantedResource } from '../../../manifest/manifest.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Change } from '../../model/change.ts'
import { withoutEntries } from '../../model/entries.ts'
import { digestActual, digestOwned, findRecorded, isAsRecorded, listOwned } from '../../model/owned_fields.ts'
import type { Names } from '../../model/value_equality.ts'
import type { DiffContext } from '../diff.ts'
import { type FormerKeys, refersToKeys } from '../match/former_keys.ts'
import type { Selection } from '../match/select_resources.ts'
import { records } from './removed_fields.ts'

/** What is recorded again. */
export interface ReferrerInput {
  readonly manifest: Pick<Manifest, 'id' | 'resources'>
  readonly pairs: ReadonlyMap<string, ActualResource>
  readonly context: Pick<DiffContext, 'names' | 'former' | 'mergesMetadata'>
  readonly selection: Selection
  readonly pathOf: (key: string) => readonly string[]
}

/**
 * Plans new records of resources that a plan of some resources leaves out, where they refer to keys that it renames: afterwards, the
 * former keys are not known. Pure.
 */
export function recordReferrers({ manifest, pairs, context, selection, pathOf }: ReferrerInput): Change[] {
  const renaming = findRenaming(context, selection)
  if (renaming === undefined) return []
  return [...manifest.resources.values()].flatMap((wanted): Change[] => {
    const actual = pairs.get(wanted.key)
    if (actual === undefined || selection.keys.has(wanted.key)) return []
    if (actual.resmeta === undefined || !records(wanted, actual, manifest.id)) return []
    const recorded = findRecorded(actual, manifest.id, context.names.principals)
    if (recorded === undefined || recorded.isEarlier) return []
    const fields = renameFields(recorded.fields, { wanted, actual, renaming })
    if (fields === undefined) return []
    const rest = context.mergesMetadata ? {} : { ...actual.resmeta, ...actual.marks }
    const items = { ...rest, [fieldMarkKey(manifest.id)]: formatFieldMark(actual.id, fields) }
    return [
      {
        ...{ action: 'adopt', key: wanted.key, cls: actual.cls, path: pathOf(wanted.key), id: actual.id },
        displayName: wanted.displayName ?? actual.displayName,
        ...(actual.version === undefined ? {} : { version: actual.version }),
        records: { gained: [], lost: [], renamed: true },
        edits: [],
        body: { resmeta: { items } },
      },
    ]
  })
}

/** Keys before and after the renames of the selected resources. */
interface Renaming {
  readonly former: FormerKeys
  /** Former keys of resources that the plan leaves out, by their keys in the manifest. */
  readonly kept: ReadonlyMap<string, string>
  /** Names as they are after the plan. */
  readonly after: Names
}

function findRenaming(
  { names, former }: ReferrerInput['context'],
  { keys }: Selection,
): Renaming | undefined {
  if (former === undefined || ![...former.keys.keys()].some((key) => keys.has(key))) return undefined
  const kept = new Map([...former.keys].filter(([key]) => !keys.has(key)))
  const keyOf = new Map([...names.keyOf].map(([id, key]) => [id, kept.get(key) ?? key] as const))
  return { former, kept, after: { ...names, keyOf } }
}

interface Referrer {
  readonly wanted: WantedResource
  readonly actual: ActualResource
  readonly renaming: Renaming
}

/** Digests recorded fields with the new keys; undefined if none refers to a renamed one. */
function renameFields(fields: SetFields, { wanted, actual, renaming }: Referrer): SetFields | undefined {
  const { former, kept, after } = renaming
  const owned = listOwned(wanted, actual.cls, after)
  let isRenamed = false
  const renamed = [...fields].map(([name, digest]) => {
    if (digest === '' || !refersToKeys(name)) return [name, digest] as const
    const field = { name, find: owned.get(name), cls: actual.cls }
    const isThere = isAsRecorded({ name, digest }, actual, former.names) === true
    const whole = withoutEntries(digest)
    const isWanted = digestOwned(field, former.keys, after.principals).includes(whole)
    const next = isThere
      ? digestActual(name, actual, after)
      : isWanted
        ? digestOwned(field, kept, after.principals)[0]
        : undefined
    if (next === undefined || next === whole) return [name, digest] as const
    isRenamed = true
    return [name, next] as const
  })
  return isRenamed ? new Map(renamed) : undefined
}
