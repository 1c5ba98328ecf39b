import type { Issue } from '../../../core/issue.ts'
import { type ActualResource, labelOf } from '../../model/actual_tree.ts'
import type { Change } from '../../model/change.ts'
import { issueAt } from '../issue_at.ts'
import type { OrderInput } from './order_steps.ts'
import type { Graph } from './step_graph.ts'

/** A name that only one resource can have: a display name under a parent, or a keyname. */
interface UniqueName {
  readonly kind: 'name' | 'key'
  /** Field of a resource with the name; a change that writes it frees the old name. */
  readonly fields: readonly string[]
  /** Tells whether a change gives a name to its resource. */
  takes(change: Change): boolean
  /** Finds the resource that has the name now which its resource has after a change. */
  findHolder(change: Change, input: OrderInput): ActualResource | undefined
  /** Reports a name that no change frees. */
  taken(change: Change, holder: ActualResource, input: OrderInput): Issue
}

const isCreated = ({ action }: Change) => action === 'create' || action === 'replace'

const displayNames: UniqueName = {
  kind: 'name',
  fields: ['parent', 'display_name'],
  takes: (change) => isCreated(change) || writes(change, displayNames.fields),
  findHolder: (change, input) => {
    const parentId = parentAfter(change, input)
    return parentId == null ? undefined : input.actual.findNamed(parentId, change.displayName).at(-1)
  },
  taken: nameTaken,
}

const keynames: UniqueName = {
  kind: 'key',
  fields: ['keyname'],
  takes: (change) => writes(change, keynames.fields),
  findHolder: ({ body }, { actual }) => {
    const keyname = body.resource?.keyname as string | null | undefined
    return keyname == null ? undefined : actual.byKeyname.get(keyname)
  },
  taken: keyTaken,
}

const writes = ({ body: { resource = {} } }: Change, fields: readonly string[]) =>
  fields.some((field) => field in resource)

/**
 * Orders changes that need the display name or the keyname of another resource after the change that frees it. A name that no
 * change frees is an issue.
 */
export function linkNames(graph: Graph, input: OrderInput): Issue[] {
  return [displayNames, keynames].flatMap((unique) => linkUnique(graph, input, unique))
}

function linkUnique(graph: Graph, input: OrderInput, unique: UniqueName): Issue[] {
  const takers = input.changes.filter((change) => change.action !== 'delete' && unique.takes(change))
  if (takers.length === 0) return []
  const leaving = new Map(input.changes.flatMap((change) => leave(change, input, unique)))
  return takers.flatMap((change) => {
    const holder = unique.findHolder(change, input)
    if (holder === undefined || holder.id === change.id) return []
    const step = leaving.get(holder.id) ?? findDeletion(holder, leaving, input)
    if (step === undefined) return [unique.taken(change, holder, input)]
    graph.nameEdges.push({ kind: unique.kind, from: `write:${change.key}`, to: step, holder })
    return []
  })
}

/** Returns the id of the parent after a change; undefined if the parent does not exist yet. */
function parentAfter({ key, id }: Change, input: OrderInput): number | null | undefined {
  const wanted = input.manifest.resources.get(key)
  if (wanted?.existing && id !== undefined) return input.actual.byId.get(id)?.parentId
  const parent = wanted?.parent
  if (parent === undefined || input.recreated.has(parent)) return undefined
  return input.pairs.get(parent)?.id
}

/** Returns the step that frees the name of a resource. */
function leave(
  change: Change,
  { recreated }: OrderInput,
  { fields }: UniqueName,
): (readonly [number, string])[] {
  const { id, key, action } = change
  if (id === undefined) return []
  if (action === 'delete' || recreated.has(key)) return [[id, `delete:${key}`]]
  return writes(change, fields) ? [[id, `write:${key}`]] : []
}

/** Finds the step that deletes a resource together with one above it. */
function findDeletion(
  { id, parentId }: ActualResource,
  leaving: ReadonlyMap<number, string>,
  { actual, pairs }: OrderInput,
): string | undefined {
  if ([...pairs.values()].some((one) => one.id === id)) return undefined
  for (let at = parentId; at !== null; at = actual.byId.get(at)?.parentId ?? null) {
    const step = leaving.get(at)
    if (step?.startsWith('delete:')) return step
  }
  return undefined
}

function nameTaken(change: Change, holder: ActualResource, { manifest }: OrderInput): Issue {
  const message = `the display name "${change.displayName}" is in use by ${labelOf(holder)} (${holder.cls}) under the same parent`
  const wanted = manifest.resources.get(change.key)
  const hint = 'Choose another display name, or rename the other resource.'
  if (wanted === undefined) return { code: 'resource/name-taken', message, severity: 'error', hint }
  return { ...issueAt(wanted, 'resource/name-taken', message, '/display_name'), hint }
}

function keyTaken(change: Change, { id, cls }: ActualResource, { manifest }: OrderInput): Issue {
  const keyname = String(change.body.resource?.keyname)
  const message = `the key "${keyname}" is in use by resource ${id} (${cls}), which keeps it`
  const wanted = manifest.resources.get(change.key)
  const hint = 'Choose another key, or rename the other resource.'
  if (wanted === undefined) return { code: 'resource/key-taken', message, severity: 'error', hint }
  return { ...issueAt(wanted, 'resource/key-taken', message), hint }
}
