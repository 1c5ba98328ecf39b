import type { Change, Plan } from '../../../reconcile/model/change.ts'
import type { Mark } from '../plan_facts.ts'

/** A change, or a resource that is unknown, with its place in the tree. */
export interface PlanEntry {
  readonly mark: Mark
  readonly key: string
  readonly cls: string
  readonly change?: Change
  /** Reason why the resource is unknown. */
  readonly reason?: string
}

/** A display name in the tree, with the changes at it and the names below it. */
export interface PlanNode {
  readonly name: string
  readonly entries: readonly PlanEntry[]
  readonly children: readonly PlanNode[]
}

interface Draft extends PlanNode {
  readonly entries: PlanEntry[]
  readonly children: Draft[]
  readonly byName: Map<string, Draft>
}

/** Arranges the changes of a plan as a tree by their display names, in their order. */
export function buildTree({ changes, unknown }: Pick<Plan, 'changes' | 'unknown'>): readonly PlanNode[] {
  const top = createDraft('')
  for (const change of changes) {
    const { action, key, cls, path } = change
    find(top, path).entries.push({ mark: action, key, cls, change })
  }
  for (const { key, cls, path, reason } of unknown)
    find(top, path).entries.push({ mark: 'unknown', key, cls, reason })
  return top.children
}

const createDraft = (name: string): Draft => ({ name, entries: [], children: [], byName: new Map() })

function find(top: Draft, path: readonly string[]): Draft {
  let at = top
  for (const name of path) {
    const found = at.byName.get(name) ?? createDraft(name)
    if (!at.byName.has(name)) {
      at.byName.set(name, found)
      at.children.push(found)
    }
    at = found
  }
  return at
}
