import { isDeepStrictEqual } from 'node:util'
import { membersOf } from '../../contract/bodies/bodies.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { isCls } from '../../contract/registry.ts'
import { findReferences, targetIdOf } from '../../contract/schema/references.ts'
import type { Schema } from '../../contract/schema/schema.ts'
import { splitPointer } from '../../core/pointer.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { canonical } from '../model/value_equality.ts'
import { readLayerTree, withItems } from './layer_tree_values.ts'
import { mergeLayerTree } from './merge_layer_tree.ts'

/** A resource that lost references, with them again. */
export interface RestoredReferences {
  readonly members: ActualResource['members']
  /** Items of the layer tree and fields that lost references, and were changed since. */
  readonly conflicts: readonly string[]
}

/** A resource before references to deleted resources were taken from it, and now. */
export interface ReferrerVersions {
  readonly before: Pick<ActualResource, 'cls' | 'members'>
  readonly there: Pick<ActualResource, 'members'>
  /** Ids of the deleted resources. */
  readonly gone: ReadonlySet<number>
}

/**
 * Restores the entries and fields that the deletion of other resources took from a resource. Later changes of the same list or
 * layer tree are kept.
 */
export function restoreReferences({ before, there, gone }: ReferrerVersions): RestoredReferences {
  const members = { ...there.members }
  const conflicts: string[] = []
  if (!isCls(before.cls)) return { members, conflicts }
  for (const [member, schema] of Object.entries(membersOf(before.cls))) {
    const old = before.members[member]
    if (member === 'resource' || old === undefined || members[member] === undefined) continue
    const stripped = withoutReferences(schema, old, gone)
    for (const [field, value] of Object.entries(old)) {
      if (stripped[field] === value) continue
      const versions: FieldVersions = { before: value, after: stripped[field], now: members[member]?.[field] }
      const restored: RestoredField =
        field === 'root_item'
          ? restoreTree(before, { members: { ...before.members, [member]: stripped } }, there)
          : restoreField((schema as Schema).properties?.[field] ?? {}, field, versions)
      members[member] = { ...members[member], [field]: restored.value }
      conflicts.push(...restored.conflicts)
    }
  }
  return { members, conflicts }
}

interface RestoredField {
  readonly value: unknown
  readonly conflicts: readonly string[]
}

type HasMembers = Pick<ActualResource, 'members'>

function restoreTree(before: HasMembers, after: HasMembers, now: HasMembers): RestoredField {
  const trees = { before: readLayerTree(before), after: readLayerTree(after), now: readLayerTree(now) }
  const { items, conflicts } = mergeLayerTree(trees)
  const { webmap } = withItems(now.members, items)
  return { value: webmap.root_item, conflicts: conflicts.map((name) => `"${name}" of the layer tree`) }
}

interface FieldVersions {
  readonly before: unknown
  readonly after: unknown
  readonly now: unknown
}

function restoreField(schema: Schema, field: string, { before, after, now }: FieldVersions): RestoredField {
  const [old, left, next] = [before, after, now].map((value) => canonical(schema, value))
  if (isDeepStrictEqual(next, left) || isDeepStrictEqual(next, old)) return { value: before, conflicts: [] }
  const keys = annotationsOf(schema)['x-key']
  if (keys === undefined || !Array.isArray(before) || !Array.isArray(now))
    return { value: before, conflicts: [field] }
  return { value: mergeList(keys, { before, after: after as readonly unknown[], now }), conflicts: [] }
}

/** Adds the items that a list lost, each after all those that were before it. */
function mergeList(
  keys: readonly string[],
  versions: Readonly<Record<'before' | 'after' | 'now', readonly unknown[]>>,
): unknown[] {
  const name = (item: unknown) =>
    JSON.stringify(keys.map((key) => targetIdOf((item as Readonly<Record<string, unknown>>)[key])))
  const merged = [...versions.now]
  const stayed = new Set(versions.after.map(name))
  for (const [at, item] of versions.before.entries()) {
    if (stayed.has(name(item)) || merged.some((one) => name(one) === name(item))) continue
    const above = versions.before.slice(0, at).map(name)
    const place = merged.findLastIndex((one) => above.includes(name(one)))
    merged.splice(place + 1, 0, item)
  }
  return merged
}

/** Removes the references to deleted resources as the server does: with their list item, or from their field. */
function withoutReferences(
  schema: object,
  member: Readonly<Record<string, unknown>>,
  gone: ReadonlySet<number>,
): Readonly<Record<string, unknown>> {
  const [removed, cleared] = [new Set<string>(), new Set<string>()]
  for (const { target, pointer, value } of findReferences(schema, member)) {
    if (target === 'principal' || !gone.has(targetIdOf(value) as number)) continue
    const item = pointer.slice(0, /\/\d+\/[^\d][^/]*$/.exec(pointer)?.index ?? 0)
    const place = `${item}/${splitPointer(pointer.slice(item.length))[0]}`
    if (target.onDelete === 'remove' && item !== '') removed.add(place)
    else cleared.add(pointer)
  }
  return removed.size + cleared.size === 0
    ? member
    : (strip(member, '', { removed, cleared }) as Readonly<Record<string, unknown>>)
}

interface Taken {
  readonly removed: ReadonlySet<string>
  readonly cleared: ReadonlySet<string>
}

/** Copies what changes; the rest stays the same value. */
function strip(value: unknown, at: string, taken: Taken): unknown {
  if (taken.cleared.has(at)) return null
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.flatMap((item, place) => {
      const path = `${at}/${place}`
      return taken.removed.has(path) ? [] : [strip(item, path, taken)]
    })
    return items.length === value.length && items.every((item, place) => item === value[place])
      ? value
      : items
  }
  const entries = Object.entries(value).map(([name, part]) => [name, strip(part, `${at}/${name}`, taken)])
  const isSame = entries.every(([name, part]) => part === (value as Record<string, unknown>)[name as string])
  return isSame ? value : Object.fromEntries(entries)
}
