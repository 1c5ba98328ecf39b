import type { Issue } from '../../../core/issue.ts'
import { joinPointer } from '../../../core/pointer.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import { keynameOnServer } from '../../../transfer/sync/compare_features.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import { issueAt } from '../issue_at.ts'

/** A field of a layer on the server. `was` is its keyname there, if the manifest renames it. */
export interface ActualField {
  readonly keyname: string
  readonly was?: string
}

type Renaming = Pick<WantedResource, 'formerFields' | 'members'>

/** Returns a layer whose fields have the keynames that the manifest gives them. */
export function withNewKeynames(wanted: Renaming, actual: ActualResource): ActualResource {
  const fields = actual.members.feature_layer?.fields
  const renamed = renameFields(wanted, fields)
  if (renamed === fields) return actual
  const members = { ...actual.members, feature_layer: { ...actual.members.feature_layer, fields: renamed } }
  return { ...actual, members }
}

/** Gives fields of the server the keynames of the manifest; the same list if it renames none of them. */
export function renameFields({ formerFields, members }: Renaming, fields: unknown): unknown {
  if (formerFields === undefined || !Array.isArray(fields)) return fields
  const list = fields as readonly (ActualField & { readonly display_name?: string })[]
  const there = new Set(list.map(({ keyname }) => keyname))
  const due = [...formerFields].filter(([keyname, was]) => !there.has(keyname) && there.has(was))
  if (due.length === 0) return fields
  const next = new Map(due.map(([keyname, was]) => [was, keyname]))
  const titled = new Set(listTitled(members.feature_layer?.fields))
  return list.map((field) => {
    const keyname = next.get(field.keyname)
    if (keyname === undefined) return field
    const followsKeyname = field.display_name === field.keyname && !titled.has(keyname)
    return { ...field, keyname, was: field.keyname, ...(followsKeyname ? { display_name: keyname } : {}) }
  })
}

/** Lists the keynames of the fields to which the manifest gives a display name. */
function listTitled(fields: unknown): string[] {
  const list = (fields ?? []) as readonly (ActualField & { readonly display_name?: string })[]
  return list.flatMap(({ keyname, display_name }) => (display_name === undefined ? [] : [keyname]))
}

/** Lists the renames as edits: from the previous keyname to the new one. */
export function listRenames(renamed: unknown): Edit[] {
  if (!Array.isArray(renamed)) return []
  return (renamed as readonly ActualField[]).flatMap(({ keyname, was }) =>
    was === undefined
      ? []
      : [{ pointer: joinPointer('/feature_layer/fields', keyname, 'keyname'), from: was, to: keyname }],
  )
}

/** Returns the keyname that a field has on the server. */
export function keynameThere({ members }: Pick<ActualResource, 'members'>, keyname: string): string {
  return keynameOnServer((members.feature_layer?.fields ?? []) as readonly ActualField[], keyname)
}

/** Reports previous keynames that no field of the layer has, and those without effect. */
export function checkFormerFields(wanted: WantedResource, { members }: ActualResource): Issue[] {
  const fields = members.feature_layer?.fields
  if (wanted.formerFields === undefined || !Array.isArray(fields)) return []
  const there = new Set((fields as readonly ActualField[]).map(({ keyname }) => keyname))
  const listed = (wanted.members.feature_layer?.fields ?? []) as readonly ActualField[]
  return listed.flatMap(({ keyname }, index): Issue[] => {
    const was = wanted.formerFields?.get(keyname)
    if (was === undefined) return []
    const pointer = joinPointer('/feature_layer/fields', index, 'was')
    if (there.has(keyname)) {
      const message = `the field "${keyname}" of "${wanted.key}" already has its new keyname; was: "${was}" has no effect`
      return [{ ...issueAt(wanted, 'plan/spent', message, pointer), severity: 'warning' }]
    }
    if (there.has(was)) return []
    const message = `"${wanted.key}" has no field "${was}" on the server that could be renamed to "${keyname}"`
    return [issueAt(wanted, 'plan/missing', message, pointer)]
  })
}
