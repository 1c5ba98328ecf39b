import type { MetadataValue } from '../../contract/bodies/resource.ts'
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
import { formatByIds, formatRule, fullName, type NamedRule, nameRule, withFullNames } from './access_rules.ts'
import type { ActualResource } from './actual_tree.ts'
import { shortDigest } from './edit_digest.ts'
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
  if (owner !== undefined) owned.set('owner', () => fullName(owner, names.principals))
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
  const rules = () => withFullNames(permissions.rules, names.principals)
  const lines = () => rules().map(formatRule).sort()
  if (permissions.owns === 'all') owned.set('permissions', () => formatByIds(rules(), names.principals.ids))
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

/** Name in field marks of a rule or of a metadata item, which are identified by their digest. */
export function partName(list: string, part: string): string {
  return `${list}/${shortDigest(part)}`
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
export function digestFields(owned: OwnedFields): SetFields {
  return new Map([...owned].map(([name, find]) => [name, find === undefined ? '' : digestOf(find())]))
}

/**
 * Digests the value that a block sets in a field, with other names for keys; undefined where values have no digest.
 *
 * @param others other names by key
 */
export function digestOwned(
  { name, find, cls }: { readonly name: string; readonly find: FindValue; readonly cls: string },
  others: ReadonlyMap<string, string>,
): string | undefined {
  if (find === undefined) return undefined
  const value = find()
  const rename = (key: unknown) => (typeof key === 'string' ? (others.get(key) ?? key) : key)
  if (name === 'parent') return digestOf(rename(value))
  const [member = '', field = ''] = name.split('.')
  const schema = schemaOf(cls, member, field)
  if (schema === undefined) return digestOf(value)
  return digestOf(
    mapReferences(schema, value, ({ target, value: key }) => (target === 'principal' ? key : rename(key))),
  )
}

const digestOf = (value: unknown) => shortDigest(value === undefined || value === '' ? null : value)

/** Digests all rules of a resource, with the ids of users and groups that exist when they are written. */
export function digestRules(rules: readonly NamedRule[], ids: ReadonlyMap<string, number>): string {
  return digestOf(formatByIds(rules, ids))
}

/** Tells whether a field has the value on the server that a record has; undefined if the account cannot read it. */
export function isAsRecorded(
  { name, digest }: { readonly name: string; readonly digest: string },
  actual: ActualResource,
  names: Names,
): boolean | undefined {
  const value = findActual(name, actual, names)
  if (value === undefined || digestOf(value) === digest) return value === undefined ? undefined : true
  if (name !== 'permissions' || actual.rules === undefined) return false
  // Earlier versions recorded the names of users and groups.
  return digestOf(actual.rules.map((rule) => formatRule(nameRule(rule, names.principals))).sort()) === digest
}

function findActual(name: string, actual: ActualResource, names: Names): unknown {
  const [field = '', part] = name.split('/')
  if (field === 'display_name') return actual.displayName
  if (field === 'parent') return parentOf(actual, names)
  if (field === 'description') return actual.description
  if (field === 'owner') return actual.ownerId && names.principals.nameOf(actual.ownerId)
  if (field === 'permissions')
    return (
      actual.rules &&
      formatByIds(
        actual.rules.map((rule) => ({ ...rule, principal: `id:${rule.principal.id}` })),
        names.principals.ids,
      )
    )
  if (field === 'resmeta') return part === undefined ? actual.resmeta : findItem(actual, name)?.value
  const [member = '', key = ''] = field.split('.')
  const schema = schemaOf(actual.cls, member, key)
  const wire = actual.members[member]?.[key]
  return schema === undefined || wire === undefined
    ? undefined
    : canonical(schema, toWantedForm(schema, wire, names))
}

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
}

/** Finds what a manifest is recorded to set on a resource; undefined if it sets nothing. */
export function findRecorded(
  { id, marks }: Pick<ActualResource, 'id' | 'marks'>,
  manifest: string,
): RecordedFields | undefined {
  const fields = findFieldMark(id, marks[fieldMarkKey(manifest)])
  if (fields !== undefined) return { fields, isEarlier: false }
  const manager = findOwnManager(id, marks)
  return manager?.manifest === manifest ? { fields: earlierFields(manager), isEarlier: true } : undefined
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
