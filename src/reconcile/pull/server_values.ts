import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer, splitPointer } from '../../core/pointer.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import type { FieldDrift, ResourceDrift } from '../drift/drift.ts'
import { type ActualResource, type ActualTree, pathOf } from '../model/actual_tree.ts'
import type { Edit } from '../model/change.ts'
import { issueAt } from '../plan/issue_at.ts'
import { entryOfEdit, listKept, mergeEntries } from './merge_entries.ts'
import type { LineOf } from './narrow_edits.ts'
import { ruleLine, writeMembers, writeRules } from './write_block.ts'

/** A value of the server for a block of a manifest. */
export interface ServerValue {
  readonly key: string
  /** Place in the block. */
  readonly pointer: Pointer
  /** Value in manifest form; undefined if the block must not have one. */
  readonly value: unknown
  /** Schema of the value, if it is a member of a class. */
  readonly schema?: Schema
  /** Of a list in any order. */
  readonly lineOf?: LineOf
}

/** Values that the server has and a manifest lacks, with issues for those that a manifest cannot take over in place. */
export interface ServerValues {
  readonly values: readonly ServerValue[]
  readonly issues: readonly Issue[]
}

/** Input of `listServerValues`. */
export interface ServerValuesInput {
  readonly manifest: Manifest
  readonly tree: ActualTree
  /** Ids of the matched resources by key. */
  readonly ids: ReadonlyMap<string, number>
  readonly drift: readonly ResourceDrift[]
}

/**
 * Lists the values that changed on the server, or of which it is unknown what changed. Values that changed in the manifest
 * stay; those that changed in both are reported.
 */
export function listServerValues(input: ServerValuesInput): ServerValues {
  const keyOf = new Map([...input.ids].map(([key, id]) => [id, key] as const))
  const draft = { values: new Map<string, ServerValue>(), issues: [] as Issue[] }
  for (const one of input.drift) {
    const wanted = input.manifest.resources.get(one.key)
    if (wanted === undefined) continue
    if (one.existsIn === 'manifest') draft.issues.push(...reportDeleted(wanted, one))
    const resource = input.tree.byId.get(input.ids.get(one.key) ?? -1)
    if (one.existsIn !== 'both' || resource === undefined) continue
    for (const field of one.fields) {
      const value = takeField({ ...input, keyOf, wanted, resource, fields: one.fields }, field)
      if (value === undefined) continue
      if ('code' in value) draft.issues.push(value)
      else draft.values.set(`${value.key} ${value.pointer}`, value)
    }
  }
  return { values: [...draft.values.values()], issues: draft.issues }
}

function reportDeleted(wanted: WantedResource, { fields }: ResourceDrift): Issue[] {
  if (!fields.some(({ origin }) => origin === 'server')) return []
  const message = `"${wanted.key}" was deleted on the server`
  return [
    {
      ...issueAt(wanted, 'pull/not-written', message),
      severity: 'warning',
      hint: 'Remove its block, or create it again with landform apply.',
    },
  ]
}

interface FieldPlace extends Pick<ServerValuesInput, 'tree'> {
  readonly keyOf: ReadonlyMap<number, string>
  readonly wanted: WantedResource
  readonly resource: ActualResource
  /** All fields of the resource that differ. */
  readonly fields: readonly FieldDrift[]
}

function takeField(place: FieldPlace, { edit, origin, field }: FieldDrift): ServerValue | Issue | undefined {
  const { wanted } = place
  if (edit === undefined || origin === 'manifest' || edit.secret || edit.released) {
    const isLost = field === 'data' && origin !== 'manifest'
    return isLost
      ? notWritten(
          wanted,
          '/data',
          'its data changed on the server',
          'Export them with landform data export.',
        )
      : undefined
  }
  return origin === 'both' ? changedInBoth(wanted, edit) : takeValue(place, edit)
}

function changedInBoth(wanted: WantedResource, { pointer }: Edit): Issue {
  const field = splitPointer(pointer).join('.')
  const what = `${field} changed in the manifest and on the server`
  return notWritten(wanted, pointer, what, 'Choose a value, and apply or write it.')
}

function takeValue(place: FieldPlace, edit: Edit): ServerValue | Issue | undefined {
  const { wanted, resource } = place
  const { key } = wanted
  const { pointer } = edit
  const [part = '', name = ''] = splitPointer(pointer)
  const plain = plainValues(place)
  if (part in plain) return { key, pointer: `/${part}`, value: plain[part as keyof typeof plain] }
  if (part === 'permissions') {
    if (wanted.permissions?.owns === 'listed')
      return notWritten(wanted, pointer, 'rules of include: changed on the server', 'Change the list.')
    return takeRules(place, pointer)
  }
  if (part === 'resmeta') return { key, pointer, value: resource.resmeta?.[name] }
  if (part === 'parent') return takeParent(place, pointer)
  if (part === 'keyname') return undefined
  if (part === 'features') return takeFeature(wanted, edit)
  return takeMember(place, edit, { member: part, field: name })
}

function takeParent({ wanted, resource, tree, keyOf }: FieldPlace, pointer: Pointer): ServerValue | Issue {
  const { parentId } = resource
  const value = parentId === null ? undefined : keyOf.get(parentId)
  if (value !== undefined) return { key: wanted.key, pointer, value }
  const name =
    parentId === null ? 'the top' : `"${pathOf(tree, parentId).join(' / ')}" (resource ${parentId})`
  const hint = 'Add the new parent to the manifest with existing: true, and move the block there.'
  return notWritten(wanted, pointer, `it was moved on the server to ${name}, outside of the manifest`, hint)
}

/** Takes the description of a feature; attachments are files. */
function takeFeature(wanted: WantedResource, { pointer, from }: Edit): ServerValue | Issue {
  const [, part, feature = ''] = splitPointer(pointer)
  if (part === 'descriptions' && !feature.startsWith('#'))
    return { key: wanted.key, pointer, value: typeof from === 'string' ? from : undefined }
  const what = part === 'descriptions' ? 'the description' : 'an attachment'
  const hint = 'Write the files with landform pull --with-data --into FOLDER, and list them in features.'
  return notWritten(wanted, pointer, `${what} of feature ${feature} changed on the server`, hint)
}

const plainValues = ({ resource, tree }: FieldPlace) => ({
  display_name: resource.displayName,
  description: resource.description ?? undefined,
  protect: resource.protect || undefined,
  owner: resource.ownerId === undefined ? undefined : tree.principals.nameOf(resource.ownerId),
})

/** Takes the rules of the server, except where the manifest changed them. */
function takeRules({ wanted, resource, tree, fields }: FieldPlace, pointer: Pointer): ServerValue {
  const lineOf = ruleLine(tree)
  const there = writeRules({ tree }, resource).permissions ?? []
  const here = wanted.permissions?.rules ?? []
  const value = mergeEntries({ here, there, lineOf }, listKept(fields, 'permissions'))
  return { key: wanted.key, pointer, value, lineOf }
}

/** Takes a field of a member, except entries of maps and lists that the manifest changed. */
function takeMember(
  { wanted, resource, tree, keyOf, fields }: FieldPlace,
  edit: Edit,
  { member, field }: { readonly member: string; readonly field: string },
): ServerValue | Issue | undefined {
  const { cls } = resource
  if (!isCls(cls)) return undefined
  const there = writeMembers({ tree, keyOf }, resource, { cls, whole: true })?.[member]
  if (there === undefined || !(field in there)) return undefined
  const schema = (descriptorOf(cls).members[member] as Schema | undefined)?.properties?.[field]
  const kept = listKept(fields, `${member}.${field}`)
  const sides = { here: wanted.members[member]?.[field], there: there[field], schema }
  const value = mergeEntries(sides, kept)
  const entry = entryOfEdit(edit)
  if (value === undefined || (entry === undefined ? kept.order : kept.names.has(entry)))
    return changedInBoth(wanted, edit)
  const pointer = joinPointer('', member, field)
  return { key: wanted.key, pointer, value, ...(schema === undefined ? {} : { schema }) }
}

function notWritten(wanted: WantedResource, ...[pointer, what, hint]: [Pointer, string, string]): Issue {
  return {
    ...issueAt(wanted, 'pull/not-written', `"${wanted.key}": ${what}`, pointer),
    severity: 'warning',
    hint,
  }
}
