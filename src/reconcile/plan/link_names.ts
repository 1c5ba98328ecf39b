import type { Issue } from '../../core/issue.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import { labelOf } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import { issueAt } from './match.ts'
import type { OrderInput } from './order_steps.ts'
import type { Graph } from './step_graph.ts'

/**
 * Finds who takes a display name that another resource still has in the same place, and makes the one wait until the
 * other has left. A name that nobody gives up is an issue.
 */
export function linkNames(graph: Graph, input: OrderInput): Issue[] {
  const takers = input.changes.filter(takesName)
  if (takers.length === 0) return []
  const holders = indexHolders(
    input.actual,
    takers.map((change) => placeAfter(change, input)),
  )
  const leaving = new Map(input.changes.flatMap((change) => leave(change, input)))
  return takers.flatMap((change) => {
    const place = placeAfter(change, input)
    const holder = place === undefined ? undefined : holders.get(place)
    if (holder === undefined || holder.id === change.id) return []
    const step = leaving.get(holder.id)
    if (step === undefined) return [nameTaken(change, holder, input)]
    graph.nameEdges.push({ from: `write:${change.key}`, to: step, holder: holder.id })
    return []
  })
}

function takesName({ action, body }: Change): boolean {
  if (action === 'delete') return false
  const { resource = {} } = body
  return action === 'create' || action === 'replace' || 'parent' in resource || 'display_name' in resource
}

/** Place a resource will have, `parent id/name`; undefined under a parent that is not there yet. */
function placeAfter({ key, displayName, id }: Change, input: OrderInput): string | undefined {
  const wanted = input.manifest.resources.get(key)
  if (wanted?.existing && id !== undefined) return placeOf(input.actual.byId.get(id)?.parentId, displayName)
  const parent = wanted?.parent
  if (parent === undefined || input.recreated.has(parent)) return undefined
  return placeOf(input.pairs.get(parent)?.id, displayName)
}

const placeOf = (parentId: number | null | undefined, name: string) =>
  parentId === undefined || parentId === null ? undefined : `${parentId}/${name}`

function indexHolders(
  actual: ActualTree,
  places: readonly (string | undefined)[],
): Map<string, ActualResource> {
  const asked = new Set(places)
  const holders = new Map<string, ActualResource>()
  for (const resource of actual.byId.values()) {
    const place = placeOf(resource.parentId, resource.displayName)
    if (place !== undefined && asked.has(place)) holders.set(place, resource)
  }
  return holders
}

/** Which step takes a resource away from the name it has. */
function leave(change: Change, { recreated }: OrderInput): (readonly [number, string])[] {
  const { id, key, action, body } = change
  if (id === undefined) return []
  if (action === 'delete') return [[id, `delete:${key}`]]
  if (recreated.has(key)) return [[id, `delete:${key}`]]
  const { resource = {} } = body
  return 'parent' in resource || 'display_name' in resource ? [[id, `write:${key}`]] : []
}

function nameTaken(change: Change, holder: ActualResource, { manifest }: OrderInput): Issue {
  const message = `"${change.displayName}" is the display name of ${labelOf(holder)} (${holder.cls}) in the same place`
  const wanted = manifest.resources.get(change.key)
  const hint = 'Choose another display name, or rename the other resource.'
  if (wanted === undefined) return { code: 'resource/name-taken', message, severity: 'error', hint }
  return { ...issueAt(wanted, 'resource/name-taken', message, '/display_name'), hint }
}
