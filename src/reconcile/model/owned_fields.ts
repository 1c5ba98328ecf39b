import type { MetadataValue, Rule } from '../../contract/bodies/resource.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import {
  earlierFields,
  fieldMarkKey,
  findFieldMark,
  listMarked,
  maxMarkedParts,
  type SetFields,
} from '../../contract/field_marks.ts'
import { findOwnManager } from '../../contract/markers.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import { mapReferences } from '../../contract/schema/references.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import { formatByIds, fullName, withFullNames } from './access_rules.ts'
import type { ActualResource } from './actual_tree.ts'
import { shortDigest } from './edit_digest.ts'
import { type Entries, type EntrySides, entriesOf, formatEntries, withoutEntries } from './entries.ts'
import { identify, type Principals } from './principals.ts'
import { identifyRules, partName } from './rule_records.ts'
import { canonical, isCompared, type Names, toWantedForm } from './value_equality.ts'

/** Returns the value of a field in canonical form; undefined where values have no digest. */
type FindValue = (() => unknown) | undefined

/** Fields that a block of a manifest sets, by their names in field marks. */
export type OwnedFields = ReadonlyMap<string, FindValue>

/** Lists the fields that a block of a manifest sets. Cheap: values are computed only for digests. */
export function listOwned(wanted: WantedResource, cls: string, names: Names): OwnedFields {
  const owned = new Map<string, FindValue>()
  const { existing, parent, displayName, description, owner, members } = wanted
  if (displayName !== undefined) owned.set('display_name', () => displayName)
  if (!existing && parent !== undefined) owned.set('parent', () => parent)
  if (description !== undefined) owned.set('description', () => description)
  if (owner !== undefined)
    owned.set('owner', () => identify(fullName(owner, names.principals), names.principals.ids))
  if (wanted.protect) owned.set('protect', undefined)
  if (wanted.data !== undefined) owned.set('data', undefined)
  if (wanted.files !== undefined) owned.set('files', undefined)
  for (const part of ['descriptions', 'attachments'] as const)
    if (wanted.features?.[part] !== undefined) owned.set(`features.${part}`, undefined)
  addRules(owned, wanted, names)
  addMetadata(owned, wanted)
  for (const [member, fields] of Object.entries(members)) {
    // The manager of a resource sets the omitted fields of a member to their defaults.
    if (!existing) owned.set(member, undefined)
    for (const field of Object.keys(fields))
      owned.set(`${member}.${field}`, findMember(schemaOf(cls, member, field), fields[field]))
  }
  return owned
}

function addRules(owned: Map<string, FindValue>, { permissions }: WantedResource, names: Names): void {
  if (permissions === undefined) return
  const lines = () => formatByIds(withFullNames(permissions.rules, names.principals), names.principals.ids)
  if (permissions.owns === 'all') owned.set('permissions', lines)
  else addParts(owned, 'permissions', new Map(lines().map((line) => [line, undefined])))
}

function addMetadata(owned: Map<string, FindValue>, { existing, resmeta }: WantedResource): void {
  if (resmeta === undefined) return
  if (!existing) {
    owned.set('resmeta', () => withoutNull(resmeta))
    return
  }
  const values = Object.entries(resmeta).map(([key, value]) => [key, () => value] as const)
  addParts(owned, 'resmeta', new Map(values))
}

function addParts(owned: Map<string, FindValue>, list: string, parts: ReadonlyMap<string, FindValue>): void {
  if (parts.size > maxMarkedParts) owned.set(`${list}/*`, () => [...parts.keys()].sort())
  else for (const [part, value] of parts) owned.set(partName(list, part), value)
}

function withoutNull(items: Readonly<Record<string, MetadataValue>>) {
  return Object.fromEntries(Object.entries(items).filter(([, value]) => value !== null))
}

function schemaOf(cls: string, member: string, field: string): Schema | undefined {
  if (!isCls(cls)) return undefined
  const { properties } = (descriptorOf(cls).members[member] ?? {}) as Schema
  return properties?.[field]
}

function findMember(schema: Schema | undefined, value: unknown): FindValue {
  const hasDigest =
    schema !== undefined && isCompared(schema) && !(value === null && annotationsOf(schema)['x-null-found'])
  return hasDigest ? () => canonical(schema, value) : undefined
}

/** Digests the values of fields. */
export function digestFields(owned: OwnedFields, cls: string): SetFields {
  return new Map(
    [...owned].map(([name, find]) => [name, find === undefined ? '' : recordValue(name, find(), cls)]),
  )
}

/** Digests a value for its record, with its entries. */
export function recordValue(name: string, value: unknown, cls = ''): string {
  return digestOf(value) + formatEntries(entriesIn(name, value, cls))
}

function entriesIn(name: string, value: unknown, cls: string): Entries | undefined {
  if (name === 'permissions' || name === 'resmeta') return entriesOf(undefined, value)
  const [member = '', field] = name.split('.')
  const schema = field === undefined ? undefined : schemaOf(cls, member, field)
  return schema === undefined ? undefined : entriesOf(schema, value)
}

/** Finds the entries of a field in the manifest and on the server; undefined if it has none on one of these, or is not readable. */
export function findEntries(
  name: string,
  find: FindValue,
  { actual, names }: { readonly actual: ActualResource; readonly names: Names },
): Omit<EntrySides, 'digest'> | undefined {
  const wanted = find === undefined ? undefined : entriesIn(name, find(), actual.cls)
  const there = wanted && entriesIn(name, findActual(name, actual, names), actual.cls)
  return wanted === undefined || there === undefined ? undefined : { wanted, there }
}

/**
 * Digests the value that a block sets in a field, with other names for keys, and as earlier versions did. Empty where values have no
 * digest.
 *
 * @param others other names by key
 */
export function digestOwned(
  { name, find, cls }: { readonly name: string; readonly find: FindValue; readonly cls: string },
  others: ReadonlyMap<string, string>,
  principals: Principals,
): string[] {
  if (find === undefined) return []
  const value = find()
  return [digestRenamed({ name, value, cls }, others), digestOf(withNames(name, value, principals))]
}

function digestRenamed(
  { name, value, cls }: { readonly name: string; readonly value: unknown; readonly cls: string },
  others: ReadonlyMap<string, string>,
): string {
  const rename = (key: unknown) => (typeof key === 'string' ? (others.get(key) ?? key) : key)
  if (name === 'parent') return digestOf(rename(value))
  const [member = '', field = ''] = name.split('.')
  const schema = schemaOf(cls, member, field)
  if (schema === undefined) return digestOf(value)
  return digestOf(
    mapReferences(schema, value, ({ target, value: key }) => (target === 'principal' ? key : rename(key))),
  )
}

/** Digests the value of a field for its record. */
export const digestOf = (value: unknown) => shortDigest(value === undefined || value === '' ? null : value)

/** Earlier versions recorded users and groups by their names. */
function withNames(name: string, value: unknown, { nameOf }: Principals): unknown {
  const rename = (text: unknown) =>
    String(text).replace(/(^| )id:(\d+)(?= |$)/, (_, before: string, id) => `${before}${nameOf(Number(id))}`)
  if (name === 'owner') return rename(value)
  return name === 'permissions' && Array.isArray(value) ? value.map(rename).sort() : value
}

/** Tells whether a field has the value on the server that a record has; undefined if the account cannot read it. */
export function isAsRecorded(
  { name, digest }: { readonly name: string; readonly digest: string },
  actual: ActualResource,
  names: Names,
): boolean | undefined {
  const value = findActual(name, actual, names)
  if (value === undefined) return undefined
  const whole = withoutEntries(digest)
  return digestOf(value) === whole || digestOf(withNames(name, value, names.principals)) === whole
}

/** Digests what a field has on the server; undefined if the account cannot read it. */
export function digestActual(name: string, actual: ActualResource, names: Names): string | undefined {
  const value = findActual(name, actual, names)
  return value === undefined ? undefined : digestOf(value)
}

function findActual(name: string, actual: ActualResource, names: Names): unknown {
  const [field = '', part] = name.split('/')
  if (field === 'display_name') return actual.displayName
  if (field === 'parent') return parentOf(actual, names)
  if (field === 'description') return actual.description
  if (field === 'owner') return actual.ownerId && `id:${actual.ownerId}`
  if (field === 'permissions') return actual.rules && formatByIds(actual.rules.map(ruleById), new Map())
  if (field === 'resmeta') return part === undefined ? actual.resmeta : findItem(actual, name)?.value
  const [member = '', key = ''] = field.split('.')
  const schema = schemaOf(actual.cls, member, key)
  const wire = actual.members[member]?.[key]
  return schema === undefined || wire === undefined
    ? undefined
    : canonical(schema, toWantedForm(schema, wire, names))
}

const ruleById = (rule: Rule) => ({ ...rule, principal: `id:${rule.principal.id}` })

function parentOf({ parentId }: ActualResource, { keyOf }: Names): unknown {
  return parentId === null ? null : (keyOf.get(parentId) ?? { id: parentId })
}

/** Finds the metadata item with a name in a field mark. */
export function findItem(
  { resmeta = {} }: Pick<ActualResource, 'resmeta'>,
  name: string,
): { readonly key: string; readonly value: MetadataValue } | undefined {
  const key = Object.keys(resmeta).find((one) => partName('resmeta', one) === name)
  return key === undefined ? undefined : { key, value: resmeta[key] ?? null }
}

/** Fields that a manifest is recorded to set. */
export interface RecordedFields {
  readonly fields: SetFields
  /** Whether an earlier version wrote the record, without fields of members that are single values. */
  readonly isEarlier: boolean
  /** Whether an earlier version recorded rules with names that users and groups had before the plan. */
  readonly hasFormerNames: boolean
}

/** Finds what a manifest is recorded to set on a resource; undefined if it sets nothing. */
export function findRecorded(
  actual: Pick<ActualResource, 'id' | 'marks' | 'rules'>,
  manifest: string,
  principals: Principals,
): RecordedFields | undefined {
  const { id, marks } = actual
  const fields = findFieldMark(id, marks[fieldMarkKey(manifest)])
  if (fields !== undefined) return { ...identifyRules(fields, actual, principals), isEarlier: false }
  const manager = findOwnManager(id, marks)
  if (manager?.manifest !== manifest) return undefined
  return { fields: earlierFields(manager), isEarlier: true, hasFormerNames: false }
}

/** Lists the manifests that are recorded to set fields of a resource. */
export function listOwners({ id, marks }: Pick<ActualResource, 'id' | 'marks'>): string[] {
  const manager = findOwnManager(id, marks)?.manifest
  return [...new Set([...(manager === undefined ? [] : [manager]), ...listMarked(marks)])]
}

/** Tells whether a record has the fields that a block sets. One of an earlier version is replaced with the next change. */
export function isRecorded({ fields, isEarlier }: RecordedFields, owned: OwnedFields): boolean {
  return isEarlier || (fields.size === owned.size && [...owned.keys()].every((name) => fields.has(name)))
}
