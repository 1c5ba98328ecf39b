import type { Step } from '../model/change.ts'

/** A step with the ids of its dependencies. */
export interface Node {
  readonly step: Omit<Step, 'after' | 'phase'>
  readonly after: Set<string>
}

/** A dependency of a step on the step that frees a display name. */
export interface NameEdge {
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
export function breakCycles(graph: Graph): void {
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
