import type { ActualResource } from '../../model/actual_tree.ts'
import type { Change, Step } from '../../model/change.ts'
import { temporaryKey } from '../match/renamed_keys.ts'

/** A step with the ids of its dependencies. */
export interface Node {
  readonly step: Omit<Step, 'after' | 'phase'>
  readonly after: Set<string>
}

/** A dependency of a step on the step that frees a display name or a keyname. */
export interface NameEdge {
  readonly kind: 'name' | 'key'
  readonly from: string
  readonly to: string
  /** The resource with the name. */
  readonly holder: Pick<ActualResource, 'id' | 'cls'>
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
 * Adds the edges of names and breaks each cycle with a rename to a temporary name or keyname. Deleted holders are renamed too,
 * because deletions come last.
 */
export function breakCycles(graph: Graph): void {
  for (const edge of graph.nameEdges) {
    const last = graph.nodes.get(edge.to)?.step.change.action === 'delete'
    if (last || reaches(graph, edge.to, edge.from)) cut(graph, edge)
    else link(graph, edge.from, edge.to)
  }
  for (const { kind, from } of graph.nameEdges) if (kind === 'key') nameBlock(graph, from)
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

function cut(graph: Graph, { kind, from, to, holder }: NameEdge): void {
  const change = graph.nodes.get(to)?.step.change
  if (change === undefined) return
  const isBelow = change.id !== holder.id
  const id = `rename:${isBelow ? `#${holder.id}` : change.key}`
  const temporary =
    kind === 'name'
      ? { temporaryName: `landform-${holder.id}-${change.key}` }
      : { temporaryKey: temporaryKey(holder.id, change.key) }
  const below = isBelow ? { below: { id: holder.id, cls: holder.cls } } : {}
  addRename(graph, id, { change, ...temporary, ...below })
  link(graph, from, id)
  link(graph, to, id)
}

function addRename(graph: Graph, id: string, more: Omit<Node['step'], 'id' | 'kind'>): void {
  const there = graph.nodes.get(id)
  graph.nodes.set(id, {
    step: { ...there?.step, ...more, id, kind: 'rename' },
    after: there?.after ?? new Set(),
  })
}

/**
 * A resource without a keyname that gets a temporary display name gets a temporary keyname, too, if its own is not free yet: it is
 * found again by it after an interruption.
 */
function nameBlock(graph: Graph, write: string): void {
  const change = graph.nodes.get(write)?.step.change
  if (change?.id === undefined || !takesFirstKey(change)) return
  const id = `rename:${change.key}`
  if (graph.nodes.has(id)) addRename(graph, id, { change, temporaryKey: temporaryKey(change.id, change.key) })
}

/** Tells whether a change gives a keyname to a resource that has none. */
export function takesFirstKey({ edits, body: { resource = {} } }: Change): boolean {
  const edit = edits.find(({ pointer }) => pointer === '/keyname')
  return edit !== undefined && edit.from === null && typeof resource.keyname === 'string'
}
