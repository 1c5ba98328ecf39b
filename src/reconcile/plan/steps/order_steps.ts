import { membersOf } from '../../../contract/bodies/bodies.ts'
import { isCls } from '../../../contract/registry.ts'
import { findReferences, targetIdOf } from '../../../contract/schema/references.ts'
import type { Issue } from '../../../core/issue.ts'
import type { Manifest } from '../../../manifest/manifest.ts'
import { type ActualResource, type ActualTree, listDescendants } from '../../model/actual_tree.ts'
import type { Change, Step } from '../../model/change.ts'
import { linkNames } from './link_names.ts'
import { breakCycles, type Graph, link } from './step_graph.ts'

/** Input of the ordering. */
export interface OrderInput {
  readonly manifest: Manifest
  readonly actual: ActualTree
  readonly changes: readonly Change[]
  readonly pairs: ReadonlyMap<string, ActualResource>
  readonly recreated: ReadonlySet<string>
}

/** Steps with their dependencies. */
export interface Order {
  readonly changes: readonly Change[]
  readonly steps: readonly Step[]
  readonly issues: readonly Issue[]
}

const arrives = (change: Change) =>
  ['create', 'replace'].includes(change.action) || 'parent' in (change.body.resource ?? {})

interface Recreated extends Pick<OrderInput, 'manifest'> {
  readonly change: Change
  readonly below: ReadonlySet<number>
  readonly writes: readonly Change[]
}

interface ReferrerContext {
  readonly actual: ActualTree
  /** Ids of resources of the manifest, which move out of deleted groups first. */
  readonly kept: ReadonlySet<number>
}

/**
 * Orders changes: parents and references before their dependents, names and keys freed before they are used (with temporary
 * ones to break cycles), deletions last.
 */
export function orderChanges(input: OrderInput): Order {
  const graph: Graph = { nodes: new Map(), nameEdges: [] }
  for (const change of input.changes) addNodes(graph, input, change)
  linkParents(graph, input)
  linkReferences(graph, input)
  const issues = linkNames(graph, input)
  linkDeletions(graph, input)
  breakCycles(graph)
  const steps = [...graph.nodes.values()].map(({ step, after }): Step => {
    const last = step.kind === 'delete' && step.change.action === 'delete'
    return { ...step, after: [...after], phase: last ? 'last' : 'first' }
  })
  return { changes: input.changes, steps, issues }
}

function addNodes(graph: Graph, { recreated, actual, pairs }: OrderInput, change: Change): void {
  const add = (kind: Step['kind']) => {
    const id = `${kind}:${change.key}`
    graph.nodes.set(id, { step: { id, kind, change }, after: new Set() })
  }
  if (change.action === 'delete') add('delete')
  else add('write')
  // Deleting a recreated resource deletes its descendants too.
  if (change.action === 'replace' && !isBelowRecreated(change.id, { recreated, actual, pairs })) add('delete')
}

function isBelowRecreated(
  id: number | undefined,
  { recreated, actual, pairs }: Pick<OrderInput, 'recreated' | 'actual' | 'pairs'>,
): boolean {
  const ids = new Set([...recreated].map((key) => pairs.get(key)?.id))
  let at = id === undefined ? null : (actual.byId.get(id)?.parentId ?? null)
  for (; at !== null; at = actual.byId.get(at)?.parentId ?? null) if (ids.has(at)) return true
  return false
}

/** Orders creations and moves after those of the new ancestors. */
function linkParents(graph: Graph, { manifest, changes }: OrderInput): void {
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

/** Orders changes after the creation of the resources they refer to. */
function linkReferences(graph: Graph, { changes }: OrderInput): void {
  const made = new Set(
    changes.filter(({ action }) => action === 'create' || action === 'replace').map(({ key }) => key),
  )
  if (made.size === 0) return
  for (const change of changes)
    for (const key of listReferredKeys(change))
      if (made.has(key)) link(graph, `write:${change.key}`, `write:${key}`)
}

function listReferredKeys({ cls, body, fieldsAfterLoad: fields }: Change): string[] {
  if (!isCls(cls)) return []
  const members = fields === undefined ? body : { ...body, feature_layer: { fields } }
  return Object.entries(membersOf(cls)).flatMap(([member, schema]) => {
    if (member === 'resource' || members[member] === undefined) return []
    return findReferences(schema, members[member]).flatMap(({ value, target }) =>
      typeof value === 'string' && target !== 'principal' ? [value] : [],
    )
  })
}

/**
 * Orders deletions: referrers that block a deletion are deleted first, and a replaced resource is deleted after other
 * resources have moved out of it.
 */
function linkDeletions(graph: Graph, { changes, actual, manifest, pairs }: OrderInput): void {
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

// A recreated resource with a new parent: its key is free only after the old resource is deleted.
function linkRecreated(graph: Graph, { change, below, writes }: Recreated): void {
  for (const other of writes)
    if (other.action === 'replace' && other.id !== undefined && below.has(other.id))
      link(graph, `write:${other.key}`, `delete:${change.key}`)
}

function linkReferrers(graph: Graph, deletions: readonly Change[], { actual, kept }: ReferrerContext): void {
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

/** Lists the ids whose deletion a reference of the resource blocks. */
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
