import type { Cls } from '../contract/registry.ts'
import { isObject } from '../core/is_object.ts'
import { findAtPointer, joinPointer, splitPointer } from '../core/pointer.ts'
import type { Manifest, WantedResource } from '../manifest/manifest.ts'
import { readFiles } from '../reconcile/model/actual_files.ts'
import type { ActualResource, ActualTree } from '../reconcile/model/actual_tree.ts'
import type { Edit } from '../reconcile/model/change.ts'
import { safeOptions } from '../reconcile/model/plan_input.ts'
import { diffResource } from '../reconcile/plan/diff.ts'
import { contextOf } from '../reconcile/plan/diff_context.ts'
import { matchResources } from '../reconcile/plan/match/match.ts'
import { writeBlock } from '../reconcile/pull/write_block.ts'
import { listFeatureParts } from './feature_inputs.ts'
import type { Values } from './property_values.ts'
import { filesProperty, projectFiles } from './resource_files.ts'
import { listSecrets } from './resource_secrets.ts'

/** A resource on the server, and the tree around it. */
export interface Found {
  readonly cls: Cls
  readonly actual: ActualResource
  readonly tree: ActualTree
}

/** Writes the inputs that describe a resource on the server, as an import does. Secrets are absent. */
export function writeInputs({ cls, actual, tree }: Found): Values {
  const keyOf = new Map([...tree.byId.values()].map(({ id, keyname }) => [id, keyname ?? `#${id}`] as const))
  const block = writeBlock({ tree, tops: new Set(), keyOf, issues: [], withoutData: [] }, actual) ?? {}
  const { cls: _, ...fields } = block as Record<string, unknown>
  const members: Record<string, unknown> = { ...fields }
  for (const pointer of listSecrets(cls)) dropSecret(members, splitPointer(pointer))
  const parent =
    actual.parentId === null || actual.parentId === 0 ? {} : { parent: keyOf.get(actual.parentId) }
  return { key: actual.keyname ?? `resource-${actual.id}`, ...parent, ...members }
}

function dropSecret(members: Record<string, unknown>, [member = '', field = '']: readonly string[]): void {
  const fields = members[member]
  if (!isObject(fields)) return
  const { [field]: _, ...rest } = fields
  members[member] = rest
}

/** Projects the state of the server on earlier inputs: what they write takes the value of the server, if it differs. */
export function projectInputs(found: Found, inputs: Values, manifest: Manifest): Values {
  const { actual, tree, cls } = found
  const key = String(inputs.key)
  const wanted = manifest.resources.get(key)
  if (wanted === undefined) return inputs
  const plan = {
    manifest,
    actual: tree,
    server: '',
    files: new Map(),
    counts: new Map(),
    options: safeOptions,
  }
  const context = contextOf(plan, matchResources(manifest, tree), new Set())
  const { edits } = diffResource(withContents(wanted, cls, inputs), actual, {
    ...context,
    manifestId: actual.manager ?? '',
  })
  const visible = edits.filter((edit) => edit.secret === undefined)
  const there = readFiles(actual)
  const known = there === undefined ? inputs : projectFiles(cls, inputs, there)
  if (visible.length === 0) return withEditedData(known, wanted, actual)
  const written = writeInputs({ actual, tree, cls })
  const projected = structuredClone(known) as Record<string, unknown>
  for (const edit of visible) takeEdit(projected, written, edit)
  return withEditedData(projected, wanted, actual)
}

/** Adds what inputs set besides the fields, so that it is not reported as removed. Its content is compared elsewhere. */
function withContents(wanted: WantedResource, cls: Cls, inputs: Values): WantedResource {
  const property = filesProperty(cls)
  const hasFiles = property !== undefined && inputs[property] !== undefined
  const features = listFeatureParts(inputs)
  return { ...wanted, ...(hasFiles ? { files: [] } : {}), ...(features === undefined ? {} : { features }) }
}

/** Digest of data that were edited on the server since they were loaded. */
export const editedData = 'edited on the server'

function withEditedData(inputs: Values, { data }: WantedResource, actual: ActualResource): Values {
  const { source, dataVersion } = actual
  const isEdited = source !== undefined && dataVersion !== undefined && dataVersion !== source.version
  if (!isEdited || data === undefined || data.mode === 'seed' || !isObject(inputs.data)) return inputs
  return { ...inputs, data: { ...inputs.data, digest: editedData } }
}

function takeEdit(projected: Record<string, unknown>, written: Values, { pointer }: Edit): void {
  const [first = '', second] = splitPointer(pointer === '/keyname' ? '/key' : pointer)
  const there = projected[first]
  if (second === undefined || !isObject(there) || first === 'permissions') {
    setOrDelete(projected, first, written[first])
    return
  }
  const fields = { ...there }
  setOrDelete(fields, second, findAtPointer(written, joinPointer('', first, second)))
  projected[first] = fields
}

function setOrDelete(fields: Record<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) delete fields[name]
  else fields[name] = value
}
