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

/** The resources that were checked in a run, by key. */
export interface CheckedResources {
  /** Adds a resource; a fault if another one has its key. */
  add(resource: CheckedResource): InputFault[]
  has(key: string): boolean
  /** Lists the resources that name a key, with the property. */
  listReferrers(key: string): { readonly resource: CheckedResource; readonly property: string }[]
  /** Finds names of a resource that neither the server nor the program has. */
  findMissing(resource: CheckedResource, tree: RememberedTree): InputFault[]
}

/** Creates the list of a run. */
export function createCheckedResources(): CheckedResources {
  const byKey = new Map<string, CheckedResource>()
  const byUrn = new Map<string, CheckedResource>()
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
    listReferrers: (key) =>
      [...byUrn.values()].flatMap((resource) => {
        const property = resource.names.get(key)
        return property === undefined ? [] : [{ resource, property }]
      }),
    findMissing: ({ names: all }, tree) => {
      if (!readsAll(tree.head)) return []
      const names = [...all].filter(
        ([name]) => !byKey.has(name) && !tree.idOfKey.has(name) && !name.startsWith('#'),
      )
      return names.map(([name, property]) => {
        const hint = findHint(name, [...tree.idOfKey.keys(), ...byKey.keys()])
        const advice = hint ?? 'create it in the program, and pass its key'
        return { property, reason: `there is no resource "${name}"; ${advice}` }
      })
    },
  }
}

/** Names of other resources in inputs, with the property that names them. */
function namesOf(cls: Cls, inputs: Values): Map<string, string> {
  const names = new Map(listReferred(cls, inputs).map(({ name, property }) => [name, property] as const))
  if (typeof inputs.parent === 'string' && inputs.parent !== unknownValue) names.set(inputs.parent, 'parent')
  return names
}
