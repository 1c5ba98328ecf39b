import { annotationsOf } from '../../../contract/descriptor.ts'
import { descriptorOf, filesOf, isCls } from '../../../contract/registry.ts'
import type { Schema } from '../../../contract/schema/schema.ts'
import { joinPointer, type Pointer } from '../../../core/pointer.ts'
import type { WantedResource } from '../../../manifest/manifest.ts'
import { formatRule, nameRule } from '../../model/access_rules.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit } from '../../model/change.ts'
import {
  findItem,
  findRecorded,
  listOwners,
  type OwnedFields,
  type RecordedFields,
} from '../../model/owned_fields.ts'
import { ruleName } from '../../model/rule_records.ts'
import { listUnreadFields } from '../../model/unread_fields.ts'
import type { Names } from '../../model/value_equality.ts'
import { type FormerKeys, isAsAnyRecorded } from '../match/former_keys.ts'

/** A block of a manifest with the fields that it once had. */
export interface CompletedBlock {
  readonly wanted: WantedResource
  /** Removed fields whose values stay, with the reason. */
  readonly released: readonly Edit[]
  /** Lines of rules that the block once included. */
  readonly droppedRules: ReadonlySet<string>
  /** Names of secrets that the block once set, and that can be absent. */
  readonly clearedSecrets: ReadonlySet<string>
  /** Names of fields that the block once set, that stay as they are, and that its record keeps. */
  readonly kept: ReadonlySet<string>
  /** Pointers of fields that the block once set, and that the account cannot read. */
  readonly unread: readonly Pointer[]
  /** Whether the block once protected a resource that it does not manage. */
  readonly unprotects: boolean
}

/** Context of the comparison with what a manifest once set. */
export interface RecordContext {
  readonly manifestId: string
  readonly names: Names
  /** Fields that the block sets. */
  readonly owned: OwnedFields
  /** What the manifest is recorded to set; undefined if that is nothing. */
  readonly recorded: RecordedFields | undefined
  /** Names of fields that are recorded as before, because they stay as they are. */
  readonly kept?: ReadonlySet<string>
  /** Keys before the renames of the plan. */
  readonly former: FormerKeys | undefined
}

/**
 * Adds the fields that the manifest once set and no longer contains, with their defaults: no description, no rules, no metadata,
 * default fields. Values without a default stay, and so do those that were changed on the server since, or that another manifest
 * sets too.
 */
export function completeBlock(
  wanted: WantedResource,
  actual: ActualResource,
  context: RecordContext,
): CompletedBlock {
  const all = listNoLongerSet(wanted, actual, context)
  if (all.length === 0) return { wanted, ...nothingRemoved }
  const unread = unreadNames(all, actual)
  const kept = new Set(all.flatMap(({ name }) => (unread.has(name) || isLeft(wanted, name) ? [name] : [])))
  const removed = all.filter(({ name }) => !kept.has(name))
  const unprotects = removed.some(({ name }) => name === 'protect')
  const draft: Draft = { wanted, actual, context, resets: {}, released: [], ...emptySets() }
  for (const { name, digest } of removed) if (name !== 'protect') resetField(draft, name, digest)
  const { resets, released, droppedRules, clearedSecrets } = draft
  const completed = removed.length === 0 ? wanted : { ...wanted, ...resets }
  const pointers = [...new Set([...unread].map(pointerOf))]
  return { wanted: completed, released, droppedRules, clearedSecrets, unprotects, kept, unread: pointers }
}

const nothingRemoved: Omit<CompletedBlock, 'wanted'> = {
  released: [],
  droppedRules: new Set(),
  clearedSecrets: new Set(),
  kept: new Set(),
  unread: [],
  unprotects: false,
}

const emptySets = () => ({ droppedRules: new Set<string>(), clearedSecrets: new Set<string>() })

/** A field that a manifest once set and no longer contains. */
export interface RemovedField {
  readonly name: string
  /** Empty if the value is not known. */
  readonly digest: string
}

/** Lists the fields that the manifest once set and no longer contains, without those that it leaves as they are. */
export function listRemoved(
  wanted: WantedResource,
  actual: ActualResource,
  context: Pick<RecordContext, 'manifestId' | 'owned' | 'recorded'>,
): RemovedField[] {
  return listNoLongerSet(wanted, actual, context).filter(({ name }) => !isLeft(wanted, name))
}

function listNoLongerSet(
  wanted: WantedResource,
  actual: ActualResource,
  { manifestId, owned, recorded }: Pick<RecordContext, 'manifestId' | 'owned' | 'recorded'>,
): RemovedField[] {
  if (recorded === undefined || !records(wanted, actual, manifestId)) return []
  const removed: RemovedField[] = []
  for (const [name, digest] of recorded.fields) {
    if (owned.has(name) || name === 'parent') continue
    const isIncluded = recorded.isEarlier && name === 'permissions.include'
    if (!isIncluded || wanted.permissions === undefined) removed.push({ name, digest })
  }
  return removed
}

/** Tells whether a block leaves a field as it is, by its name in records: that of a member, of a field, or of a part of a list. */
export function isLeft({ unmanaged }: Pick<WantedResource, 'unmanaged'>, name: string): boolean {
  if (unmanaged === undefined) return false
  const [field = ''] = name.split('/')
  return unmanaged.has(field) || unmanaged.has(field.split('.')[0] ?? '')
}

/** Of fields of a record, those that the account cannot read. What it cannot see is unknown, and stays. */
function unreadNames(fields: readonly RemovedField[], actual: ActualResource): ReadonlySet<string> {
  if (fields.length === 0) return new Set()
  const unread = new Set([...listUnreadFields(actual).values()].flat())
  if (actual.rules === undefined) unread.add('permissions')
  return new Set(fields.flatMap(({ name }) => (isLeft({ unmanaged: unread }, name) ? [name] : [])))
}

/**
 * Tells whether the record of a resource follows its block. A block with `existing: true` for a resource that the manifest itself
 * manages only refers to it, and an undo has its own records.
 */
export function records(
  { existing, records: given }: Pick<WantedResource, 'existing' | 'records'>,
  { manager }: Pick<ActualResource, 'manager'>,
  manifestId: string,
): boolean {
  return given === undefined && !(existing && manager === manifestId)
}

/** Resets a field; or why its value stays, `none` if there is nothing to reset. */
type Reset = (() => Resets) | string

type Resets = { -readonly [K in keyof WantedResource]?: WantedResource[K] }

interface Draft {
  readonly wanted: WantedResource
  readonly actual: ActualResource
  readonly context: RecordContext
  readonly resets: Resets
  readonly released: Edit[]
  readonly droppedRules: Set<string>
  readonly clearedSecrets: Set<string>
}

/** Tells whether a field stays, and in the record too, until `--prune` deletes it: `planLeftParts` tells of it. */
export function isLastingPart(name: string, cls: string): boolean {
  return name.startsWith('features.') || (name === 'files' && filesOf(cls)?.form === 'list')
}

/** Finds another manifest that sets a field, too. */
export function findOtherOwner(
  actual: ActualResource,
  name: string,
  { manifestId, names }: Pick<RecordContext, 'manifestId' | 'names'>,
): string | undefined {
  return listOwners(actual).find(
    (manifest) =>
      manifest !== manifestId && findRecorded(actual, manifest, names.principals)?.fields.has(name),
  )
}

function resetField(draft: Draft, name: string, digest: string): void {
  const { actual, context } = draft
  const other = findOtherOwner(actual, name, context)
  if (other === undefined && isLastingPart(name, actual.cls)) return
  const reset = findReset(draft, name)
  if (reset === 'none') return
  const isChanged = digest !== '' && isAsAnyRecorded({ name, digest }, actual, context) === false
  if (other !== undefined) release(draft, name, `the manifest "${other}" sets it too`)
  else if (typeof reset === 'string') release(draft, name, reset)
  else if (isChanged) release(draft, name, 'it was changed on the server since the last apply')
  else Object.assign(draft.resets, reset())
}

function release({ released }: Draft, name: string, stays: string): void {
  const pointer = pointerOf(name)
  if (!released.some((edit) => edit.pointer === pointer && edit.stays === stays))
    released.push({ pointer, released: true, stays })
}

const pointerOf = (name: string) => joinPointer('', ...(name.split('/')[0] ?? '').split('.'))

function findReset(draft: Draft, name: string): Reset {
  const { wanted, actual } = draft
  const [block = '', field] = (name.split('/')[0] ?? '').split('.')
  if (name.includes('/')) return findPartReset(draft, name)
  if (name === 'permissions.include') return 'an earlier version did not record which rules were included'
  if (block === 'description') return actual.description === null ? 'none' : () => ({ description: null })
  if (block === 'permissions') return findRulesReset(draft)
  if (block === 'resmeta') return wanted.resmeta === undefined ? () => ({ resmeta: {} }) : 'none'
  if (block === 'features') return lasting.features ?? 'none'
  if (field === undefined) return findMemberReset(draft, block)
  return findDefault(draft, block, field)
}

function findRulesReset({ wanted, actual }: Draft): Reset {
  if (wanted.permissions !== undefined) return 'none'
  if (actual.rules?.length === 0) return 'none'
  return () => ({ permissions: { owns: 'all', rules: [] } })
}

/** A rule that the manifest included, or a metadata item that it set. */
function findPartReset(draft: Draft, name: string): Reset {
  const { wanted, actual, context, resets, droppedRules } = draft
  const { principals } = context.names
  if (name.endsWith('/*')) return 'there were too many of them to record each'
  if (name.startsWith('permissions/')) {
    if (wanted.permissions?.owns === 'all') return 'none'
    const lines = actual.rules?.map((rule) => formatRule(nameRule(rule, principals))) ?? []
    const line = lines.find((one) => ruleName(one, principals.ids) === name)
    if (line === undefined) return 'none'
    return () => {
      droppedRules.add(line)
      return {}
    }
  }
  const item = findItem(actual, name)
  if (item === undefined || !(wanted.existing || wanted.resmeta === undefined)) return 'none'
  return () => ({ resmeta: { ...wanted.resmeta, ...resets.resmeta, [item.key]: null } })
}

/** Fields without a default, whose values stay. */
const lasting: Readonly<Record<string, string>> = {
  owner: 'to change it, set another owner',
  display_name: 'every resource has one',
  data: 'features and pixels are kept',
  features: 'they are kept',
  files: 'to change it, set another file',
}

/** A member whose block is gone returns to its defaults as a whole. */
function findMemberReset({ wanted, actual, resets }: Draft, member: string): Reset {
  const reason = lasting[member]
  if (reason !== undefined) return reason
  if (!isCls(actual.cls) || !(member in descriptorOf(actual.cls).members)) return 'none'
  return () => ({ members: { ...wanted.members, [member]: {}, ...resets.members } })
}

function findDefault(draft: Draft, member: string, field: string): Reset {
  const { wanted, actual, resets, clearedSecrets } = draft
  const { properties } = (isCls(actual.cls) ? descriptorOf(actual.cls).members[member] : undefined) ?? {}
  const schema = (properties as Readonly<Record<string, Schema>> | undefined)?.[field]
  const value = actual.members[member]?.[field]
  if (schema === undefined || value === null) return 'none'
  const { default: fallback } = schema
  const isSecret = annotationsOf(schema)['x-secret'] === true
  if (isSecret && fallback === null)
    return () => {
      clearedSecrets.add(`${member}.${field}`)
      return {}
    }
  if (value === undefined && !isSecret) return 'none'
  if (fallback === undefined || isSecret) return 'it has no default; to change it, set another value'
  return () => {
    const members = { ...wanted.members, ...resets.members }
    return { members: { ...members, [member]: { [field]: fallback, ...members[member] } } }
  }
}
