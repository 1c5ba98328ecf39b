import { membersOf } from '../../contract/bodies.ts'
import { findReferences, targetIdOf } from '../../contract/references.ts'
import { isCls } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { type ActualResource, type ActualTree, labelOf, listDescendants } from '../model/actual_tree.ts'
import type { Change } from '../model/change.ts'
import { issueAt } from './match.ts'
import type { OrderInput } from './order_steps.ts'
import { type Graph, link } from './step_graph.ts'

const arrives = (change: Change) =>
  ['create', 'replace'].includes(change.action) || 'parent' in (change.body.resource ?? {})

/** What is created or moved waits until everything above its new place has arrived there. */
export function linkParents(graph: Graph, { manifest, changes }: OrderInput): void {
  const byKey = new Map(changes.map((change) => [change.key, change] as const))
  for (const change of changes) {
    if (!arrives(change) || change.action === 'delete') continue
    let key = manifest.resources.get(change.key)?.parent
    for (; key !== undefined; key = manifest.resources.get(key)?.parent) {
      const above = byKey.get(key)
      if (above === undefined || !arrives(above)) continue
      link(graph, `write:${change.key}`, `write:${key}`)
      break
    }
  }
}

/** What refers to a resource that is made waits for it. */
export function linkReferences(graph: Graph, { changes }: OrderInput): void {
  const made = new Set(
    changes.filter(({ action }) => action === 'create' || action === 'replace').map(({ key }) => key),
  )
  if (made.size === 0) return
  for (const change of changes)
    for (const key of listReferredKeys(change))
      if (made.has(key)) link(graph, `write:${change.key}`, `write:${key}`)
}

function listReferredKeys({ cls, body }: Change): string[] {
  if (!isCls(cls)) return []
  return Object.entries(membersOf(cls)).flatMap(([member, schema]) => {
    if (member === 'resource' || body[member] === undefined) return []
    return findReferences(schema, body[member]).flatMap(({ value, target }) =>
      typeof value === 'string' && target !== 'principal' ? [value] : [],
    )
  })
}

/**
 * What refers to a resource and would not let it go is deleted before it. A replaced resource goes when what moves out
 * of it has left.
 */
export function linkDeletions(graph: Graph, { changes, actual, manifest, pairs }: OrderInput): void {
  const deletions = changes.filter(({ action }) => action === 'delete')
  const writes = changes.filter(({ action }) => action !== 'delete')
  const kept = new Set([...pairs.values()].map(({ id }) => id))
  linkReferrers(graph, deletions, { actual, kept })
  for (const change of writes) {
    if (!graph.nodes.has(`delete:${change.key}`) || change.id === undefined) continue
    link(graph, `write:${change.key}`, `delete:${change.key}`)
    const below = new Set(listDescendants(actual, change.id))
    for (const other of writes)
      if (other.id !== undefined && below.has(other.id) && other.action !== 'replace')
        link(graph, `delete:${change.key}`, `write:${other.key}`)
    linkRecreated(graph, { change, below, writes, manifest })
  }
}

interface Recreated extends Pick<OrderInput, 'manifest'> {
  readonly change: Change
  readonly below: ReadonlySet<number>
  readonly writes: readonly Change[]
}

// Made anew elsewhere than before: its key is free only when the old one is gone.
function linkRecreated(graph: Graph, { change, below, writes }: Recreated): void {
  for (const other of writes)
    if (other.action === 'replace' && other.id !== undefined && below.has(other.id))
      link(graph, `write:${other.key}`, `delete:${change.key}`)
}

interface Standing {
  readonly actual: ActualTree
  /** Ids of what is wanted: it leaves what is deleted before that goes. */
  readonly kept: ReadonlySet<number>
}

function linkReferrers(graph: Graph, deletions: readonly Change[], { actual, kept }: Standing): void {
  if (deletions.length < 2) return
  const topOf = new Map<number, string>()
  for (const { id, key } of deletions)
    if (id !== undefined) for (const one of [id, ...listDescendants(actual, id, kept)]) topOf.set(one, key)
  for (const [id, key] of topOf)
    for (const referred of listHeldIds(actual.byId.get(id))) {
      const other = topOf.get(referred)
      if (other !== undefined && other !== key) link(graph, `delete:${other}`, `delete:${key}`)
    }
}

/** Lists what a resource refers to and would keep from being deleted. */
function listHeldIds(resource: ActualResource | undefined): number[] {
  if (resource === undefined || !isCls(resource.cls)) return []
  return Object.entries(membersOf(resource.cls)).flatMap(([member, schema]) =>
    findReferences(schema, resource.members[member]).flatMap(({ value, target }) => {
      const id = targetIdOf(value)
      if (target === 'principal' || target.onDelete !== 'refuse') return []
      return typeof id === 'number' ? [id] : []
    }),
  )
}

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
