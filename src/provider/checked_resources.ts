import { findManifest } from '../contract/markers.ts'
import type { Cls } from '../contract/registry.ts'
import { findHint } from '../core/suggest.ts'
import { readsAll } from '../reconcile/model/actual_tree.ts'
import { unknownValue, type Values } from './property_values.ts'
import { type InputFault, listReferred } from './resource_manifest.ts'
import { parseUrn } from './resource_type.ts'
import type { RememberedTree } from './tree_memory.ts'

/** A resource that the program declares. */
export interface CheckedResource {
  readonly urn: string
  /** Absent if it is unknown, and for runs of pipelines, which are not on the server. */
  readonly key: string | undefined
  /** Resources that it names, by key, with the path of the property. */
  readonly names: ReadonlyMap<string, string>
}

/** Describes a resource with these inputs. */
export function describeResource(urn: string, cls: Cls, inputs: Values): CheckedResource {
  const { key } = inputs
  const isKnown = typeof key === 'string' && key !== unknownValue
  return { urn, key: isKnown ? key : undefined, names: namesOf(cls, inputs) }
}

/** The resource of a program that has an id on the server. */
export interface Owner {
  readonly urn: string
  /** Whether its creation has taken over what was there. */
  readonly isAdopted: boolean
}

/** The resources that were checked in a run, by key. */
export interface CheckedResources {
  /** Adds a resource; a fault if another one has its key. */
  add(resource: CheckedResource): InputFault[]
  has(key: string): boolean
  /** Returns the id of a resource that has a key in the program; the server may have an earlier key of it. */
  findId(key: string): number | undefined
  /** Lists the resources that name a key, with the property. */
  listReferrers(key: string): { readonly resource: CheckedResource; readonly property: string }[]
  /** Records that a resource of the program has an id on the server, which another one had until this update. */
  own(id: number, urn: string, isAdopted?: boolean): void
  /** Returns the resource of the program that has an id. */
  ownerOf(id: number): Owner | undefined
  /** Records that a resource was deleted. */
  disown(id: number): void
  /** Records that the program reads a resource of the stack without declaring it. */
  addRead(key: string): void
  /**
   * Finds names of a resource that neither the server nor the program has, and names of resources of the stack that the program
   * does not declare: the update destroys them.
   */
  findMissing(resource: CheckedResource, stack: StackTree): InputFault[]
}

/** The resources of a server, of which a stack manages some. */
export interface StackTree {
  readonly tree: RememberedTree
  /** Id of the manifest of the stack. */
  readonly manifestId: string
  /** Whether resources of the stack may be named that the update does not declare. */
  readonly allowUndeclared: boolean
}

/** Creates the list of a run. */
export function createCheckedResources(): CheckedResources {
  const byKey = new Map<string, CheckedResource>()
  const byUrn = new Map<string, CheckedResource>()
  const read = new Set<string>()
  const owners = new Map<number, Owner>()
  return {
    add: (resource) => {
      const { urn, key } = resource
      const earlier = byUrn.get(urn)?.key
      if (earlier !== undefined && earlier !== key) byKey.delete(earlier)
      const other = key === undefined ? undefined : byKey.get(key)
      if (other !== undefined && other.urn !== urn) {
        const { name } = parseUrn(other.urn)
        return [{ property: 'key', reason: `"${key}" is also the key of ${name}; keys are unique` }]
      }
      if (key !== undefined) byKey.set(key, resource)
      byUrn.set(urn, resource)
      return []
    },
    has: (key) => byKey.has(key),
    findId: (key) => {
      const urn = byKey.get(key)?.urn
      return [...owners].find(([, owner]) => owner.urn === urn)?.[0]
    },
    listReferrers: (key) =>
      [...byUrn.values()].flatMap((resource) => {
        const property = resource.names.get(key)
        return property === undefined ? [] : [{ resource, property }]
      }),
    own: (id, urn, isAdopted = false) => void owners.set(id, { urn, isAdopted }),
    ownerOf: (id) => owners.get(id),
    disown: (id) => void owners.delete(id),
    addRead: (key) => void read.add(key),
    findMissing: ({ names: all }, stack) => {
      const names = [...all].filter(([name]) => !byKey.has(name) && !read.has(name) && !name.startsWith('#'))
      return names.flatMap(([name, property]) => {
        if (stack.tree.idOfKey.has(name)) return findDestroyed(name, property, stack)
        if (!readsAll(stack.tree.head)) return []
        const hint = findHint(name, [...stack.tree.idOfKey.keys(), ...byKey.keys()])
        const advice = hint ?? 'create it in the program, and pass its key'
        return [{ property, reason: `there is no resource "${name}"; ${advice}` }]
      })
    },
  }
}

function findDestroyed(name: string, property: string, { tree, manifestId, allowUndeclared }: StackTree) {
  const id = tree.idOfKey.get(name)
  const wire = id === undefined ? undefined : tree.byId.get(id)
  // What the stack has just created is not read again until it is needed.
  if (allowUndeclared || findManifest(id, wire?.resmeta?.items) !== manifestId) return []
  const advice =
    'keep it in the program and pass it or its key, which makes it a dependency, or set landform:allow_undeclared for updates of some resources'
  const reason = `"${name}" belongs to this stack, and nothing declares it before this resource: this update would destroy it; ${advice}`
  return [{ property, reason }]
}

/** Names of other resources in inputs, with the property that names them. */
function namesOf(cls: Cls, inputs: Values): Map<string, string> {
  const names = new Map(listReferred(cls, inputs).map(({ name, property }) => [name, property] as const))
  if (typeof inputs.parent === 'string' && inputs.parent !== unknownValue) names.set(inputs.parent, 'parent')
  return names
}
