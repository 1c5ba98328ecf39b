import type { Cls } from '../contract/registry.ts'
import { readActual } from '../reconcile/model/actual_tree.ts'
import { type Found, projectInputs, writeInputs } from './project_inputs.ts'
import type { Properties, unknownValue, Values } from './property_values.ts'
import { listReferred, makeManifest, type ResourceInputs, trustManifest } from './resource_manifest.ts'
import { type RememberedTree, treeAround } from './tree_memory.ts'

/** Outputs of a resource: its inputs and its id, which may be unknown. */
export function outputsOf(inputs: Values, id: number | typeof unknownValue): Values {
  return { ...inputs, resource_id: id }
}

/** A resource to read. */
export interface Reading {
  readonly cls: Cls
  readonly id: number
  /** Inputs of the last update; empty for imports. */
  readonly inputs: Properties
  readonly place: Pick<ResourceInputs, 'manifestId' | 'folder'>
}

/** Reads the inputs that describe a resource now; undefined if it does not exist or has another class. */
export function readInputs(tree: RememberedTree, { cls, id, inputs, place }: Reading): Values | undefined {
  const wire = tree.byId.get(id)
  if (wire === undefined || wire.resource.cls !== cls) return undefined
  const actual = readActual(wire)
  const isImport = inputs.values.key === undefined
  const names = isImport ? namesOf(wire as unknown as Values) : namesOf(inputs.values, cls)
  const ids = [id, ...names.flatMap((name) => idsOfName(tree, name))]
  const found: Found = { cls, actual, tree: treeAround(tree, ids) }
  if (isImport) return writeInputs(found)
  const resource = { cls, inputs: inputs.values, id, ...place }
  if (isUnchanged(found, resource)) return inputs.values
  const { manifest } = makeManifest(resource)
  return manifest === undefined ? inputs.values : projectInputs(found, inputs.values, manifest)
}

/** Tells whether a resource certainly has its inputs; most resources of a refresh do. */
function isUnchanged(found: Found, resource: ResourceInputs): boolean {
  const { inputs } = resource
  try {
    return projectInputs(found, inputs, trustManifest(resource)) === inputs
  } catch {
    // The state may be of another version, or edited by hand.
    return false
  }
}

function idsOfName(tree: RememberedTree, name: string | number): number[] {
  if (typeof name === 'number') return [name]
  const id = tree.idOfKey.get(name)
  return id === undefined ? [] : [id]
}

/** Lists what inputs, or a representation, refer to: keys or ids. */
function namesOf(values: Values, cls?: Cls): (string | number)[] {
  if (cls !== undefined)
    return [
      ...listReferred(cls, values).map(({ name }) => name),
      ...(typeof values.parent === 'string' ? [values.parent] : []),
    ]
  const ids = new Set<number>()
  JSON.stringify(values, (name, value: unknown) => {
    if (typeof value === 'number' && /(?:^|_)id$/.test(name)) ids.add(value)
    return value
  })
  return [...ids]
}
