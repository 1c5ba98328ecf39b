import type { MetadataValue, Rule } from '../../contract/bodies/resource.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { fieldMarkKey, formatFieldMark } from '../../contract/field_marks.ts'
import { markerKeys } from '../../contract/markers.ts'
import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { splitPointer } from '../../core/pointer.ts'
import { formatRule, identifyLine, nameRule } from '../model/access_rules.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { type Digests, digestValue, shortened } from '../model/edit_digest.ts'
import { indexItems } from '../model/entries.ts'
import { findRecorded, listOwners } from '../model/owned_fields.ts'
import type { Principals } from '../model/principals.ts'
import { partName, ruleName } from '../model/rule_records.ts'
import { readLayerTree, withItems } from './layer_tree_values.ts'
import { type MergedLayerTree, mergeLayerTree } from './merge_layer_tree.ts'

/** A resource before an apply and now. */
export interface Versions {
  readonly before: ActualResource
  readonly there: ActualResource
  /** What the apply set, by field. */
  readonly digests: Digests
  /** Layer tree that the apply set, with ids of styles; undefined if the journal does not have it. */
  readonly tree?: readonly unknown[] | undefined
}

/** A resource without the changes of an apply. */
export interface MergedResource {
  readonly resource: ActualResource
  /** Items of the layer tree that the apply changed, and that were changed since. */
  readonly conflicts: readonly string[]
}

/**
 * Returns a resource as it would be without an apply: the fields that the apply set as they were before it, the others as they
 * are now. Lists with a key are merged by item, rules by rule.
 */
export function mergeBefore(versions: Versions, principals: Principals): MergedResource {
  const { before, there, digests } = versions
  const paths = Object.keys(digests).map(splitPointer)
  const tops = new Set(paths.map(([top = '']) => top))
  const sets = (top: string) => tops.has(top)
  const pick = (top: string) => (sets(top) ? before : there)
  const trees = mergeTrees(versions)
  const members = mergeMembers(paths, before, there)
  const resource = {
    ...there,
    keyname: pick('keyname').keyname,
    displayName: pick('display_name').displayName,
    parentId: pick('parent').parentId,
    description: pick('description').description,
    ownerId: pick('owner').ownerId,
    protect: pick('protect').protect,
    rules: sets('permissions') ? mergeRules({ before, there, digests }, principals) : there.rules,
    resmeta: mergeMetadata(paths, before, there),
    marks: mergeMarks(paths, versions, principals),
    members: trees === undefined ? members : withItems(members, trees.items),
  }
  return { resource, conflicts: trees?.conflicts ?? [] }
}

/** Takes the changes of an apply back from the layer tree of a web map; undefined if it changed none. */
function mergeTrees({ before, there, digests, tree }: Versions): MergedLayerTree | undefined {
  if (tree === undefined || !Object.keys(digests).some((pointer) => pointer.startsWith('/webmap/root_item')))
    return undefined
  return mergeLayerTree({ before: readLayerTree(before), after: tree, now: readLayerTree(there) })
}

function mergeRules(
  { before, there, digests }: Versions,
  principals: Principals,
): readonly Rule[] | undefined {
  if (before.rules === undefined || there.rules === undefined) return before.rules
  const isOfApply = (rule: Rule) =>
    journalNames(rule, principals).some((name) => Object.hasOwn(digests, `/permissions/${name}`))
  return [...there.rules.filter((rule) => !isOfApply(rule)), ...before.rules.filter(isOfApply)]
}

/** Names of a rule in the journal: with the id of its user or group, or with the name, as of one that the apply created. */
function journalNames(rule: Rule, principals: Principals): string[] {
  const line = formatRule(nameRule(rule, principals))
  return [identifyLine(line, principals.ids), line].map(digestValue)
}

type Paths = readonly (readonly string[])[]

function mergeMetadata(
  paths: Paths,
  before: ActualResource,
  there: ActualResource,
): ActualResource['resmeta'] {
  const keys = paths.flatMap(([top, key]) => (top === 'resmeta' && key !== undefined ? [key] : []))
  if (keys.length === 0 || before.resmeta === undefined || there.resmeta === undefined) return there.resmeta
  const { resmeta } = before
  const items = { ...there.resmeta }
  for (const key of keys) {
    const value = resmeta[key]
    if (value === undefined) delete items[key]
    else items[key] = value
  }
  return items
}

/** Fields that the apply set are recorded as before it, the others as they are now. */
function mergeMarks(
  paths: Paths,
  { before, there }: Pick<Versions, 'before' | 'there'>,
  principals: Principals,
): ActualResource['marks'] {
  const rules = new Map(
    [...(before.rules ?? []), ...(there.rules ?? [])].flatMap((rule) => {
      const name = ruleName(formatRule(nameRule(rule, principals)), principals.ids)
      return journalNames(rule, principals).map((one) => [one, name] as const)
    }),
  )
  const ofApply = new Set(paths.flatMap((path) => recordNames(path, rules)))
  const manifests = new Set([...listOwners(before), ...listOwners(there)])
  const marks: Record<string, MetadataValue> = { ...there.marks }
  if (ofApply.has('keyname')) marks[markerKeys.key] = before.marks[markerKeys.key] ?? null
  for (const manifest of manifests) {
    const old = [...(findRecorded(before, manifest, principals)?.fields ?? [])].filter(([name]) =>
      ofApply.has(name),
    )
    const later = [...(findRecorded(there, manifest, principals)?.fields ?? [])].filter(
      ([name]) => !ofApply.has(name),
    )
    marks[fieldMarkKey(manifest)] = formatFieldMark(there.id, new Map([...old, ...later]))
  }
  return marks
}

/** Names in records of what an apply set at a path. */
function recordNames(
  [top = '', field = '']: readonly string[],
  rules: ReadonlyMap<string, string>,
): string[] {
  if (top === 'permissions') return [top, rules.get(field) ?? `${top}/${shortened(field)}`]
  if (top === 'resmeta') return [top, partName(top, field)]
  return [top, `${top}.${field}`]
}

function mergeMembers(
  paths: Paths,
  before: ActualResource,
  there: ActualResource,
): ActualResource['members'] {
  const members = { ...there.members }
  if (!isCls(there.cls)) return members
  for (const [member, { properties }] of Object.entries(descriptorOf(there.cls).members))
    for (const [field, schema] of Object.entries(properties as Readonly<Record<string, Schema>>)) {
      const parts = paths
        .filter((path) => path[0] === member && path[1] === field)
        .map((path) => path.slice(2))
      if (parts.length === 0) continue
      const [from, now] = [before.members[member]?.[field], members[member]?.[field]]
      members[member] = { ...members[member], [field]: mergeField(schema, { from, now, parts }) }
    }
  return members
}

interface FieldVersions {
  readonly from: unknown
  readonly now: unknown
  /** What the apply set within the field; an empty path is the field itself. */
  readonly parts: Paths
}

function mergeField(schema: Schema, { from, now, parts }: FieldVersions): unknown {
  const keys = annotationsOf(schema)['x-key'] ?? []
  const old = indexItems(from, keys)
  const next = indexItems(now, keys)
  if (old === undefined || next === undefined) return from
  const named = parts.flatMap(([name]) => (name === undefined ? [] : [name]))
  const set = new Set([...named, ...listFormerNames(named, old, next)])
  const kept = [...old].flatMap(([name, item]) => (set.has(name) ? item : (next.get(name) ?? [])))
  const added = [...next].flatMap(([name, item]) => (old.has(name) || set.has(name) ? [] : item))
  return [...kept, ...added]
}

type Items = ReadonlyMap<string, unknown>

/** Lists the keys that renamed items, such as fields of layers, had before: they have the same id. */
function listFormerNames(names: readonly string[], old: Items, next: Items): string[] {
  const former = new Map([...old].map(([name, item]) => [idOf(item), name]))
  return names.flatMap((name) => {
    const id = idOf(next.get(name))
    return (id === undefined ? undefined : former.get(id)) ?? []
  })
}

const idOf = (item: unknown) => (item as { readonly id?: number } | undefined)?.id
