import type { Issue } from '../../../core/issue.ts'
import type { Manifest } from '../../../manifest/manifest.ts'
import type { ActualResource, ActualTree } from '../../model/actual_tree.ts'
import type { Change, Step } from '../../model/change.ts'
import { linkNames } from './link_names.ts'
import { linkDeletions, linkParents, linkReferences } from './link_steps.ts'
import { breakCycles, type Graph } from './step_graph.ts'

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
