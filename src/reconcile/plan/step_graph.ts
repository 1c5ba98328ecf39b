import type { Step } from '../model/change.ts'

/** A step, and the ids of those that come before it. */
export interface Node {
  readonly step: Omit<Step, 'after' | 'phase'>
  readonly after: Set<string>
}

/** One step waits for a name that another one gives up. */
export interface NameEdge {
  readonly from: string
  readonly to: string
  /** Id of the resource that has the name. */
  readonly holder: number
}

/** Steps by id, and the edges between them that a temporary name can cut. */
export interface Graph {
  readonly nodes: Map<string, Node>
  readonly nameEdges: NameEdge[]
}

/** Makes one step wait for another; unknown steps are nothing to wait for. */
export function link(graph: Graph, from: string, to: string): void {
  if (from !== to && graph.nodes.has(to)) graph.nodes.get(from)?.after.add(to)
}

/**
 * Adds the edges of names, and cuts each cycle they close by a step that takes a temporary name first. So it does
 * where the holder is deleted, for deletions come last of all.
 */
export function breakCycles(graph: Graph): void {
  for (const edge of graph.nameEdges) {
    const last = graph.nodes.get(edge.to)?.step.change.action === 'delete'
    if (last || reaches(graph, edge.to, edge.from)) cut(graph, edge)
    else link(graph, edge.from, edge.to)
  }
}

/** Tells whether a step waits, directly or not, for another. */
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
