import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { fieldMarkKey, formatFieldMark } from '../contract/field_marks.ts'
import { type Cls, descriptorOf } from '../contract/registry.ts'
import type { Schema } from '../contract/schema/schema.ts'
import { isObject } from '../core/is_object.ts'
import { findAtPointer, joinPointer, type Pointer, splitPointer } from '../core/pointer.ts'
import type { WantedResource } from '../manifest/manifest.ts'
import type { ActualResource } from '../reconcile/model/actual_tree.ts'
import { listOwned } from '../reconcile/model/owned_fields.ts'
import type { Principals } from '../reconcile/model/principals.ts'
import { isCompared, toWire } from '../reconcile/model/value_equality.ts'
import { type DiffContext, diffResource } from '../reconcile/plan/diff.ts'
import { compareFeatureInputs } from './feature_inputs.ts'
import { formatPropertyPath, isIgnored, pathOfEdit } from './property_path.ts'
import { type Properties, unknownValue } from './property_values.ts'
import { compareFileInputs } from './resource_files.ts'
import { listAnnotated, listSecrets } from './resource_secrets.ts'

/** A changed property. */
export interface PropertyChange {
  readonly path: string
  readonly kind: 'add' | 'update' | 'delete'
  readonly replaces: boolean
}

/** Two versions of the inputs of a resource. */
export interface Comparison {
  readonly cls: Cls
  readonly olds: Side
  readonly news: Side
  /** Property paths that are not compared. */
  readonly ignored?: readonly string[]
}

/** Inputs with their normal form. */
export interface Side {
  /** Absent if the inputs are invalid. Where values are unknown, it has the earlier ones. */
  readonly wanted?: WantedResource
  readonly properties: Properties
}

/**
 * Compares inputs with earlier ones, by the rules of plans: order, defaults and notation make no difference. Unknown values
 * differ from all values.
 */
export function compareInputs(comparison: Comparison): PropertyChange[] {
  const { cls, olds, news, ignored = [] } = comparison
  const changes =
    olds.wanted === undefined || news.wanted === undefined
      ? compareRoughly(comparison)
      : compareFinely(comparison, { wanted: olds.wanted, news: news.wanted })
  const secrets = listSecrets(cls).filter((pointer) => differAt(olds.properties, news.properties, pointer))
  const data = isDeepStrictEqual(contentOf(olds.properties), contentOf(news.properties)) ? [] : ['/data']
  const { unknowns } = news.properties
  // What is no longer named is reset.
  const unmanaged = differAt(olds.properties, news.properties, '/unmanaged') ? ['/unmanaged' as const] : []
  const plain = [...secrets, ...data, ...unknowns, ...unmanaged].map((pointer) =>
    changeAt(comparison, pointer),
  )
  const files = compareFileInputs(cls, olds.properties.values, news.properties.values)
  const features = compareFeatureInputs(olds.properties.values, news.properties.values)
  const all = new Map(
    [...changes, ...files, ...features, ...plain].map((change) => [change.path, change] as const),
  )
  const left = news.wanted?.unmanaged ?? []
  return [...all.values()].filter(({ path }) => !isIgnored(path, [...ignored, ...left]))
}

/** Returns what is compared of `data`: its digest stands for its source. */
function contentOf({ values: { data } }: Properties): unknown {
  if (!isObject(data) || data.digest === undefined) return data
  const { source: _, ...rest } = data
  return rest
}

/** Replaces unknown values with the earlier ones; those that did not exist are removed. */
export function fillUnknowns(news: Properties, olds: Properties): Properties['values'] {
  const filled = structuredClone(news.values) as Record<string, unknown>
  for (const pointer of news.unknowns) {
    const tokens = splitPointer(pointer)
    const last = tokens.pop() ?? ''
    const parent = findAtPointer(filled, joinPointer('', ...tokens)) as Record<string, unknown> | undefined
    const old = findAtPointer(olds.values, pointer)
    if (parent === undefined) continue
    if (old !== undefined) parent[last] = old
    else if (!Array.isArray(parent)) delete parent[last]
  }
  return filled
}

function compareFinely(
  { cls, olds, news }: Comparison,
  { wanted, news: next }: { readonly wanted: WantedResource; readonly news: WantedResource },
): PropertyChange[] {
  const places = placesOf()
  const actual = actualOf({ cls, wanted, news: next, places })
  const { edits } = diffResource(next, actual, places.context)
  return edits
    .filter((edit) => edit.secret === undefined)
    .map(({ pointer: found, from, to, replaces, released }) => {
      // Rules have keys of their own in edits, and positions in programs: the engine shows what changed in the list.
      if (/^\/permissions(?:\/|$)/.test(found)) return changeAt({ cls, olds, news }, '/permissions')
      const pointer = found === '/keyname' ? '/key' : found
      const path = pathOfEdit(pointer, to === undefined ? olds.properties.values : news.properties.values)
      return { path, kind: released ? 'delete' : kindOf(from, to), replaces: replaces !== undefined }
    })
}

function kindOf(from: unknown, to: unknown): PropertyChange['kind'] {
  if (from === undefined) return 'add'
  return to === undefined ? 'delete' : 'update'
}

/** Properties with files, which are compared by their digests. */
const contents = ['/data', '/files', '/file', '/features']

function compareRoughly(comparison: Comparison): PropertyChange[] {
  const { cls, olds, news } = comparison
  const names = new Set([...Object.keys(olds.properties.values), ...Object.keys(news.properties.values)])
  const pointers = [...names]
    .map((name) => joinPointer('', name))
    .filter((pointer) => !contents.includes(pointer))
  return [...pointers, ...listAnnotated(cls, 'x-replace')]
    .filter((pointer) => differAt(olds.properties, news.properties, pointer))
    .map((pointer) => changeAt(comparison, pointer))
}

function differAt(olds: Properties, news: Properties, pointer: Pointer): boolean {
  return !isDeepStrictEqual(findAtPointer(olds.values, pointer), findAtPointer(news.values, pointer))
}

function changeAt({ cls, olds, news }: Comparison, pointer: Pointer): PropertyChange {
  const [from, to] = [
    findAtPointer(olds.properties.values, pointer),
    findAtPointer(news.properties.values, pointer),
  ]
  // The engine asks with an unknown parent whether a resource is deleted before its parent is replaced.
  const isParent = pointer === '/parent' && from !== undefined && to === unknownValue
  const replaces = isParent || listAnnotated(cls, 'x-replace').includes(pointer)
  return { path: formatPropertyPath(pointer), kind: kindOf(from, to), replaces }
}

/** Ids that stand for keys and names of principals in a comparison of inputs. */
interface Places {
  idOf(name: string): number
  readonly context: DiffContext
}

function placesOf(): Places {
  const ids = new Map<string, number>()
  const names = new Map<number, string>()
  const idOf = (name: string) => {
    const id = ids.get(name) ?? stableId(name)
    ids.set(name, id)
    names.set(id, name)
    return id
  }
  const principals: Principals = {
    known: true,
    created: new Set(),
    ids,
    nameOf: (id) => names.get(id) ?? `id:${id}`,
    find: (name) => ({ name }),
  }
  const context: DiffContext = {
    manifestId: '',
    names: { keyOf: names, principals },
    findFamily: () => undefined,
    findId: idOf,
    sendSecrets: new Set(),
    take: new Set(),
    mergesMetadata: true,
    keyRecords: new Map(),
  }
  return { idOf, context }
}

// Ids of a server are small, so that `{id}` of a resource outside of the program stays what it is.
function stableId(name: string): number {
  return 2 ** 40 + createHash('sha256').update(name).digest().readUIntBE(0, 5)
}

interface Sides {
  readonly cls: Cls
  readonly wanted: WantedResource
  readonly news: WantedResource
  readonly places: Places
}

/** Returns the state of a server that has the old inputs. */
function actualOf({ cls, wanted, news, places }: Sides): ActualResource {
  const rules = wanted.permissions?.rules.map((rule) => ({
    ...rule,
    principal: { id: places.idOf(rule.principal) },
  }))
  return {
    id: 0,
    cls,
    parentId: wanted.parent === undefined ? null : places.idOf(wanted.parent),
    keyname: wanted.key,
    displayName: wanted.displayName ?? '',
    version: undefined,
    description: wanted.description ?? null,
    ownerId: wanted.owner === undefined ? places.idOf('') : places.idOf(wanted.owner),
    rules: (rules ?? []) as NonNullable<ActualResource['rules']>,
    resmeta: wanted.resmeta ?? {},
    manager: '',
    marks: marksOf(cls, wanted, places),
    protect: wanted.protect,
    source: undefined,
    dataVersion: undefined,
    extensionsVersion: undefined,
    members: membersOf({ cls, wanted, news, places }),
  }
}

/** The record of the fields that the old inputs set, by the nameless manifest of the comparison. */
function marksOf(cls: Cls, wanted: WantedResource, { context: { names, manifestId } }: Places) {
  const fields = new Map([...listOwned(wanted, cls, names).keys()].map((name) => [name, ''] as const))
  return { [fieldMarkKey(manifestId)]: formatFieldMark(0, fields) }
}

function membersOf({ cls, wanted, news, places }: Sides): ActualResource['members'] {
  return Object.fromEntries(
    Object.entries(descriptorOf(cls).members).map(([member, schema]) => {
      const written = wanted.members[member] ?? {}
      const wire = toWire(schema as Schema, written, (name) => places.idOf(name)) as Record<string, unknown>
      const properties = schema.properties as Readonly<Record<string, Schema>>
      const absent = Object.entries(properties).flatMap(([name, field]) => {
        const isMissing = !Object.hasOwn(wire, name) && isCompared(field)
        return isMissing && (field.default !== undefined || news.members[member]?.[name] !== undefined)
          ? [[name, field.default ?? null] as const]
          : []
      })
      return [member, { ...wire, ...Object.fromEntries(absent) }]
    }),
  )
}
