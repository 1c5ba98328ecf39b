import type { Issue } from '../../core/issue.ts'
import type { Manifest } from '../../manifest/manifest.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import type { Change, Step } from '../model/change.ts'
import { linkDeletions, linkNames, linkParents, linkReferences } from './link_steps.ts'

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

/**
 * Orders changes: parents and references before their dependents, names freed before they are used (with a temporary
 * name to break cycles), deletions last.
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

/** A step with the ids of its dependencies. */
interface Node {
  readonly step: Omit<Step, 'after' | 'phase'>
  readonly after: Set<string>
}

/** A dependency of a step on the step that frees a display name. */
interface NameEdge {
  readonly from: string
  readonly to: string
  /** Id of the resource with the name. */
  readonly holder: number
}

/** Steps by id, and the edges that a temporary name can remove. */
export interface Graph {
  readonly nodes: Map<string, Node>
  readonly nameEdges: NameEdge[]
}

/** Adds a dependency between steps; ignores unknown steps. */
export function link(graph: Graph, from: string, to: string): void {
  if (from !== to && graph.nodes.has(to)) graph.nodes.get(from)?.after.add(to)
}

/**
 * Adds the edges of names and breaks each cycle with a rename to a temporary name. Deleted holders are renamed too,
 * because deletions come last.
 */
function breakCycles(graph: Graph): void {
  for (const edge of graph.nameEdges) {
    const last = graph.nodes.get(edge.to)?.step.change.action === 'delete'
    if (last || reaches(graph, edge.to, edge.from)) cut(graph, edge)
    else link(graph, edge.from, edge.to)
  }
}

/** Reports whether a step depends on another one, directly or indirectly. */
function reaches(graph: Graph, start: string, goal: string): boolean {
  const seen = new Set([start])
  const open = [start]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === goal) return true
    for (const next of graph.nodes.get(id)?.after ?? []) {
      if (!seen.has(next)) open.push(next)
      seen.add(next)
    }
  }
  return false
}

function cut(graph: Graph, { from, to, holder }: NameEdge): void {
  const change = graph.nodes.get(to)?.step.change
  if (change === undefined) return
  const id = `rename:${change.key}`
  const temporaryName = `landform-${holder}-${change.key}`
  graph.nodes.set(id, { step: { id, kind: 'rename', change, temporaryName }, after: new Set() })
  link(graph, from, id)
  link(graph, to, id)
}
