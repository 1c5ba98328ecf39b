import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Cls, descriptorOf } from '../contract/registry.ts'
import type { Schema } from '../contract/schema.ts'
import { findAtPointer, joinPointer, type Pointer } from '../core/pointer.ts'
import type { WantedResource } from '../manifest/manifest.ts'
import type { ActualResource } from '../reconcile/model/actual_tree.ts'
import type { Principals } from '../reconcile/model/principals.ts'
import { isCompared, toWire } from '../reconcile/model/value_equality.ts'
import { type DiffContext, diffResource } from '../reconcile/plan/diff.ts'
import { isIgnored, pathOfEdit } from './property_path.ts'
import type { Properties } from './property_values.ts'
import { listSecrets } from './resource_secrets.ts'

/** A changed property. */
export interface PropertyChange {
  readonly path: string
  readonly kind: 'add' | 'update' | 'delete'
  readonly replaces: boolean
}

/** Two versions of the inputs of a resource. */
export interface Comparison {
  readonly cls: Cls
  readonly olds: { readonly wanted: WantedResource; readonly properties: Properties }
  /** `wanted` is absent if properties are unknown: then top-level properties are compared. */
  readonly news: { readonly wanted?: WantedResource; readonly properties: Properties }
  /** Property paths that are not compared. */
  readonly ignored?: readonly string[]
}

/** Compares inputs with earlier ones, by the rules of plans: order, defaults and notation make no difference. */
export function compareInputs(comparison: Comparison): PropertyChange[] {
  const { cls, olds, news, ignored = [] } = comparison
  const changes =
    news.wanted === undefined ? compareRoughly(comparison) : compareFinely(comparison, news.wanted)
  const secrets = listSecrets(cls).filter((pointer) => differAt(olds.properties, news.properties, pointer))
  const data = differAt(olds.properties, news.properties, '/data') ? ['/data'] : []
  const plain = [...secrets, ...data].map((pointer) => changeAt(comparison, pointer))
  const all = new Map([...changes, ...plain].map((change) => [change.path, change] as const))
  return [...all.values()].filter(({ path }) => !isIgnored(path, ignored))
}

function compareFinely({ cls, olds, news }: Comparison, wanted: WantedResource): PropertyChange[] {
  const places = placesOf()
  const actual = actualOf({ cls, wanted: olds.wanted, news: wanted, places })
  const { edits } = diffResource(wanted, actual, places.context)
  return edits
    .filter((edit) => edit.secret === undefined)
    .map(({ pointer: found, from, to, replaces }) => {
      const pointer = found === '/keyname' ? '/key' : found.replace(/^\/permissions\/.*$/s, '/permissions')
      const path = pathOfEdit(pointer, to === undefined ? olds.properties.values : news.properties.values)
      return { path, kind: kindOf(from, to), replaces: replaces !== undefined }
    })
}

function kindOf(from: unknown, to: unknown): PropertyChange['kind'] {
  if (from === undefined) return 'add'
  return to === undefined ? 'delete' : 'update'
}

// Unknown values differ from all values.
function compareRoughly(comparison: Comparison): PropertyChange[] {
  const { olds, news } = comparison
  const names = new Set([...Object.keys(olds.properties.values), ...Object.keys(news.properties.values)])
  return [...names]
    .map((name) => joinPointer('', name))
    .filter((pointer) => differAt(olds.properties, news.properties, pointer))
    .map((pointer) => changeAt(comparison, pointer))
}

function differAt(olds: Properties, news: Properties, pointer: Pointer): boolean {
  return !isDeepStrictEqual(findAtPointer(olds.values, pointer), findAtPointer(news.values, pointer))
}

function changeAt({ olds, news }: Comparison, pointer: Pointer): PropertyChange {
  const [from, to] = [
    findAtPointer(olds.properties.values, pointer),
    findAtPointer(news.properties.values, pointer),
  ]
  return { path: pathOfEdit(pointer, news.properties.values), kind: kindOf(from, to), replaces: false }
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
    findId: idOf,
    sendSecrets: new Set(),
    mergesMetadata: true,
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
    protect: wanted.protect,
    source: undefined,
    dataVersion: undefined,
    members: membersOf({ cls, wanted, news, places }),
  }
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
