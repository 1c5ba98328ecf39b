import type { MetadataValue } from '../../contract/bodies/resource.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import type { GeometryFamily } from '../../contract/geometry.ts'
import { formatManager, formatSource, type KeyRecord, markerKeys } from '../../contract/markers.ts'
import { type Cls, descriptorOf, isCls } from '../../contract/registry.ts'
import { findReferences } from '../../contract/schema/references.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import { compareRules, fullName, nameRule, withFullNames } from '../model/access_rules.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import type { Edit, RecordChange, WantedBody } from '../model/change.ts'
import { writeFields } from '../model/layer_fields.ts'
import { findRecorded, listOwned, type RecordedFields } from '../model/owned_fields.ts'
import { isCompared, type Names } from '../model/value_equality.ts'
import { type ContestedFields, findContested } from './fields/contested_fields.ts'
import { withOrigins } from './fields/field_origin.ts'
import { planMarks } from './fields/field_records.ts'
import { type CompletedBlock, completeBlock, isLeft, type RecordContext } from './fields/removed_fields.ts'
import { listRenames, renameFields } from './fields/renamed_fields.ts'
import type { FormerKeys } from './match/former_keys.ts'
import { planKeyRecord, withKeyRecord } from './match/renamed_keys.ts'
import { withStyles } from './style_edits.ts'
import { compareField } from './value_edits.ts'

/** Context of a comparison. */
export interface DiffContext {
  readonly manifestId: string
  readonly names: Names
  /** Finds the id of a key, except of resources that will be recreated. */
  findId(key: string): number | undefined
  /** Finds the family of the geometries of a layer. */
  findFamily(id: number | null): GeometryFamily | undefined
  /** Keys whose secrets are sent again. */
  readonly sendSecrets: ReadonlySet<string>
  /** Keys of resources whose fields may be taken from other manifests. */
  readonly take: ReadonlySet<string>
  /** Whether the server merges metadata; otherwise requests contain all items. */
  readonly mergesMetadata: boolean
  /** Keys that are recorded on their resources. */
  readonly keyRecords: ReadonlyMap<string, KeyRecord>
  /** Keys before the renames of the plan; absent if it renames nothing. */
  readonly former?: FormerKeys | undefined
  /** Whether the resource is written anyway: its data, files, or descriptions and attachments of features. */
  readonly isWritten?: boolean
  /** What the manifest is recorded to set on the resource, if that was read from its record before. */
  readonly recorded?: RecordedFields | undefined
  /** Names of fields that the block no longer contains, and that its record keeps. */
  readonly keptNames?: ReadonlySet<string>
  /** Keys whose ids the account cannot know, because it may not read the resources. */
  readonly unseen?: ReadonlySet<string>
}

/** Difference between the desired and the actual state of a resource. */
export interface ResourceDiff {
  readonly edits: readonly Edit[]
  readonly body: WantedBody
  readonly moves: boolean
  /** Whether the resource gets the marker of this manifest. */
  readonly adopts: boolean
  /** Whether the body contains rules outside the manifest: it must not overwrite concurrent changes to them. */
  readonly sharesRules: boolean
  /** Pointers of fields that the caller cannot read. */
  readonly unknown: readonly string[]
  /** Pointers of fields that refer to resources which the caller cannot read, so that they are not compared. */
  readonly unseen: readonly Pointer[]
  /** Pointers of secrets that the plan does not send, and that it cannot compare. */
  readonly uncompared: readonly Pointer[]
  /** Edits of fields that other manifests set, and that are not taken from them. */
  readonly contested: readonly ContestedFields[]
  /** Fields that the manifest is recorded to set, if nothing else changes. */
  readonly records?: RecordChange
}

interface Draft {
  readonly edits: Edit[]
  readonly unknown: string[]
  readonly unseen: Pointer[]
  readonly uncompared: Pointer[]
  readonly body: Record<string, Record<string, unknown>>
}

/** Compares a resource of the manifest with its match on the server. Pure; ignores the order of members and rules. */
export function diffResource(
  written: WantedResource,
  actual: ActualResource,
  context: DiffContext,
): ResourceDiff {
  const draft: Draft = { edits: [], unknown: [], unseen: [], uncompared: [], body: {} }
  const { manifestId, names, former } = context
  const owned = listOwned(written, actual.cls, names)
  const { recorded = findRecorded(actual, manifestId, names.principals) } = context
  const record = { manifestId, names, former, owned, recorded }
  const completed = completeBlock(written, actual, record)
  const { wanted } = completed
  const sides = { wanted, actual, context, completed }
  diffNames(draft, wanted, actual)
  const moves = diffPlace(draft, sides)
  diffOwner(draft, sides)
  const sharesRules = diffRules(draft, sides)
  const adopts = diffMetadata(draft, sides)
  const cls = wanted.cls ?? (isCls(actual.cls) ? actual.cls : undefined)
  if (cls !== undefined && cls === actual.cls) diffMembers(draft, cls, sides)
  draft.edits.push(...completed.released)
  draft.unknown.push(...completed.unread)
  const found = findContested(actual, draft.edits, { manifestId, adopts, principals: names.principals })
  const isTaken = context.take.has(wanted.key)
  const taken = isTaken ? found : []
  const isChanged = draft.edits.length > 0 || adopts || context.isWritten === true
  const marks = planMarks(written, {
    ...{ actual, isChanged, adopts, taken },
    context: withKept(record, new Set([...completed.kept, ...(context.keptNames ?? [])])),
  })
  const keyItems = planKeyRecord(written, actual, context.keyRecords)
  setItems(draft, { ...marks.items, ...keyItems }, sides)
  const { unknown, unseen, uncompared, body } = draft
  const known = withOrigins(draft.edits, actual, record)
  const edits = withStyles(known, () => context.findFamily(actual.parentId))
  const contested = isTaken ? [] : found
  const records = isChanged ? undefined : withKeyRecord(marks.records, keyItems)
  const diff = { edits, body, moves, adopts, sharesRules, unknown, unseen, uncompared, contested }
  return records === undefined ? diff : { ...diff, records }
}

/** Adds the names of fields that the block no longer contains, and that its record keeps. */
function withKept(record: RecordContext, names: ReadonlySet<string>): RecordContext {
  if (names.size === 0) return record
  const kept = [...names].map((name) => [name, undefined] as const)
  return { ...record, owned: new Map([...record.owned, ...kept]), kept: names }
}

interface Sides {
  readonly wanted: WantedResource
  readonly actual: ActualResource
  readonly context: DiffContext
  readonly completed: Omit<CompletedBlock, 'wanted'>
}

function set(draft: Draft, member: string, fields: Readonly<Record<string, unknown>>): void {
  draft.body[member] = { ...draft.body[member], ...fields }
}

function diffNames(draft: Draft, wanted: WantedResource, actual: ActualResource): void {
  const { displayName, description } = wanted
  const keyname = keynameOf(wanted, actual)
  if (actual.keyname !== keyname) {
    const to = keyname === null ? {} : { to: keyname }
    draft.edits.push({ pointer: '/keyname', from: actual.keyname, ...to })
    set(draft, 'resource', { keyname })
  }
  if (displayName !== undefined && displayName !== actual.displayName) {
    draft.edits.push({ pointer: '/display_name', from: actual.displayName, to: displayName })
    set(draft, 'resource', { display_name: displayName })
  }
  if (description === undefined) return
  if (actual.description === undefined) draft.unknown.push('/description')
  else if ((description ?? null) !== actual.description) {
    draft.edits.push({ pointer: '/description', from: actual.description, to: description })
    set(draft, 'resource', { description })
  }
}

function keynameOf({ existing, key, formerKeyname }: WantedResource, { keyname }: ActualResource) {
  if (formerKeyname !== undefined) return formerKeyname
  return existing ? keyname : key
}

// Existing resources never move: a manifest nests them only to place other resources.
function diffPlace(draft: Draft, { wanted, actual, context }: Sides): boolean {
  if (wanted.existing || wanted.parent === undefined || actual.parentId === null) return false
  if (context.findId(wanted.parent) === actual.parentId) return false
  const { keyOf, titleOf } = context.names
  const id = actual.parentId
  const title = titleOf?.(id)
  const from = keyOf.get(id) ?? (title === undefined ? { id } : { id, title })
  draft.edits.push({ pointer: '/parent', from, to: wanted.parent })
  set(draft, 'resource', { parent: wanted.parent })
  return true
}

function diffOwner(draft: Draft, { wanted, actual, context }: Sides): void {
  if (wanted.owner === undefined) return
  if (actual.ownerId === undefined) {
    draft.unknown.push('/owner')
    return
  }
  const from = context.names.principals.nameOf(actual.ownerId)
  const to = fullName(wanted.owner, context.names.principals)
  if (from === to) return
  draft.edits.push({ pointer: '/owner', from, to })
  set(draft, 'resource', { owner_user: to })
}

function diffRules(draft: Draft, { wanted, actual, context, completed }: Sides): boolean {
  const { droppedRules } = completed
  if (wanted.permissions === undefined && droppedRules.size === 0) return false
  const { owns, rules: listed } = wanted.permissions ?? { owns: 'listed' as const, rules: [] }
  if (actual.rules === undefined) {
    draft.unknown.push('/permissions')
    return false
  }
  const { principals } = context.names
  const named = actual.rules.map((rule) => nameRule(rule, principals))
  const diff = compareRules({ owns, rules: withFullNames(listed, principals) }, named, droppedRules)
  if (diff === undefined) return false
  draft.edits.push(...diff.edits)
  set(draft, 'resource', { permissions: diff.rules })
  return owns === 'listed'
}

// A manifest with metadata owns all items, except on existing resources.
function diffMetadata(draft: Draft, sides: Sides): boolean {
  const { wanted, actual } = sides
  if (actual.resmeta === undefined) {
    if (wanted.resmeta !== undefined) draft.unknown.push('/resmeta')
    return false
  }
  const items: Record<string, MetadataValue> = {}
  const old = actual.resmeta
  const next = wanted.resmeta ?? {}
  const gone =
    wanted.resmeta === undefined || wanted.existing ? [] : Object.keys(old).filter((key) => !(key in next))
  for (const key of [...Object.keys(next), ...gone]) {
    const [from, to] = [old[key] ?? null, next[key] ?? null]
    if (from === to) continue
    items[key] = to
    draft.edits.push(editOf(joinPointer('/resmeta', key), from, to))
  }
  const adopts = markManager(items, sides)
  releaseManager(draft, items, sides)
  markProtection(draft, items, sides)
  setItems(draft, items, sides)
  return adopts
}

/** Adds metadata to the request; for servers that replace all of them, with the others. */
function setItems(
  draft: Draft,
  items: Readonly<Record<string, MetadataValue>>,
  { actual, context }: Sides,
): void {
  if (Object.keys(items).length === 0) return
  const { items: before } = (draft.body.resmeta ?? {}) as { readonly items?: object }
  const rest = before ?? (context.mergesMetadata ? {} : { ...actual.resmeta, ...actual.marks })
  set(draft, 'resmeta', { items: { ...rest, ...items } })
}

const editOf = (pointer: string, from: unknown, to: unknown): Edit => ({
  pointer,
  ...(from === null ? {} : { from }),
  ...(to === null ? {} : { to }),
})

function markManager(items: Record<string, MetadataValue>, { wanted, actual, context }: Sides): boolean {
  if (wanted.existing || wanted.formerManager !== undefined || actual.manager === context.manifestId)
    return false
  items[markerKeys.manager] = formatManager({ manifest: context.manifestId, id: actual.id })
  return true
}

/** Gives a resource back to the manifest that managed it before. */
function releaseManager(draft: Draft, items: Record<string, MetadataValue>, { wanted, actual }: Sides): void {
  const { formerManager: former, formerSource } = wanted
  const marker = actual.source === undefined ? null : formatSource(actual.source)
  if (formerSource !== undefined && formerSource !== marker) {
    items[markerKeys.source] = formerSource
    draft.edits.push(editOf('/data_source', marker, formerSource))
  }
  if (former === undefined || former?.manifest === actual.manager) return
  items[markerKeys.manager] =
    former === null ? null : formatManager({ manifest: former.manifest, id: actual.id })
  draft.edits.push(editOf('/managed_by', actual.manager, former?.manifest ?? null))
}

function markProtection(draft: Draft, items: Record<string, MetadataValue>, sides: Sides): void {
  const { wanted, actual, completed } = sides
  if (wanted.protect === actual.protect || isLeft(wanted, 'protect')) return
  if (wanted.existing && !wanted.protect && !completed.unprotects) return
  items[markerKeys.protect] = wanted.protect ? true : null
  draft.edits.push({ pointer: '/protect', from: actual.protect, to: wanted.protect })
}

function diffMembers(draft: Draft, cls: Cls, sides: Sides): void {
  const { clearedSecrets } = sides.completed
  for (const place of fieldsOf(cls)) {
    const { member, field } = place
    if (clearedSecrets.has(`${member}.${field}`)) {
      draft.edits.push({ pointer: joinPointer('', member, field), to: null, secret: true })
      set(draft, member, { [field]: null })
      continue
    }
    const written = sides.wanted.members[member]
    if (written === undefined) continue
    const diff = annotationsOf(place.schema)['x-secret'] ? diffSecret : diffField
    diff(draft, { ...place, written }, sides)
  }
}

const fieldCache = new Map<Cls, readonly Omit<FieldPlace, 'written'>[]>()

function fieldsOf(cls: Cls): readonly Omit<FieldPlace, 'written'>[] {
  const known = fieldCache.get(cls)
  if (known !== undefined) return known
  const places = Object.entries(descriptorOf(cls).members).flatMap(([member, { properties }]) => {
    const fields = Object.entries(properties as Readonly<Record<string, Schema>>)
    const addresses = fields.flatMap(([name, schema]) => (annotationsOf(schema)['x-address'] ? [name] : []))
    const place = ([field, schema]: (typeof fields)[number]) => ({ member, field, schema, addresses })
    const secrets = fields.filter(([, schema]) => annotationsOf(schema)['x-secret'])
    // Secrets come last, because a change of their address fields sends them again.
    return [...fields.filter(([, schema]) => isCompared(schema)), ...secrets].map(place)
  })
  fieldCache.set(cls, places)
  return places
}

interface FieldPlace {
  readonly member: string
  readonly field: string
  readonly schema: Schema
  /** Fields of the member with the address that its secret is sent to. */
  readonly addresses: readonly string[]
  /** The member's block in the manifest. */
  readonly written: Readonly<Record<string, unknown>>
}

function diffField(draft: Draft, place: FieldPlace, { wanted, actual, context }: Sides): void {
  const { member, field, schema, written } = place
  if (isLeft(wanted, `${member}.${field}`)) return
  const to = field in written ? written[field] : defaultOf(schema, wanted)
  if (to === undefined || (to === null && annotationsOf(schema)['x-null-found'])) return
  const wire = actual.members[member]?.[field]
  if (wire === undefined) {
    if (field in written) draft.unknown.push(joinPointer('', member, field))
    return
  }
  const pointer = joinPointer('', member, field)
  if (refersToUnseen(schema, to, context)) {
    draft.unseen.push(pointer)
    return
  }
  const isFields = isLayerFields(member, field)
  const there = isFields ? renameFields(wanted, wire) : wire
  const edits = compareField(schema, { pointer, wire: there, wanted: to }, context.names)
  if (isFields) edits.unshift(...listRenames(there))
  if (edits.length === 0) return
  draft.edits.push(...edits)
  set(draft, member, { [field]: isFields ? writeFields(to, there) : to })
}

/** The server has the id of what a key names, and who cannot read that resource does not know the id. */
function refersToUnseen(schema: Schema, wanted: unknown, { unseen }: DiffContext): boolean {
  if (unseen === undefined || unseen.size === 0) return false
  return findReferences(schema, wanted).some(({ value }) => typeof value === 'string' && unseen.has(value))
}

/** Sends a secret if the server has none, if its address changes, or on request; null removes it. Secrets cannot be compared. */
function diffSecret(draft: Draft, place: FieldPlace, { wanted, actual, context }: Sides): void {
  const { member, field, written, addresses } = place
  if (!(field in written)) return
  const pointer = joinPointer('', member, field)
  const there = actual.members[member] ?? {}
  const isAbsent = there[field] === null
  if (written[field] === null) {
    // Who cannot read the address does not learn that there is no secret.
    if (isAbsent || addresses.some((name) => there[name] === undefined)) return
    draft.edits.push({ pointer, to: null, secret: true })
    set(draft, member, { [field]: null })
    return
  }
  const isMoved = addresses.some((name) => Object.hasOwn(draft.body[member] ?? {}, name))
  if (!isAbsent && !isMoved && !context.sendSecrets.has(wanted.key)) {
    draft.uncompared.push(pointer)
    return
  }
  draft.edits.push({ pointer, secret: true })
  set(draft, member, { [field]: written[field] })
}

const isLayerFields = (member: string, field: string) => member === 'feature_layer' && field === 'fields'

// A scalar that was removed from a written block returns to its default. Lists and maps that the manifest omits stay
// unchanged, since users may fill them.
function defaultOf(schema: Schema, wanted: WantedResource): unknown {
  const { default: fallback } = schema
  if (wanted.existing || (typeof fallback === 'object' && fallback !== null)) return undefined
  return fallback
}
