import type { AccessSubject, AccessTree, Key } from './access_tree.ts'
import { createEvaluator } from './evaluate_access.ts'
import { maskOf } from './permission_mask.ts'

/** What somebody needs to repair the rules of a resource. */
const managing = maskOf(['resource.read', 'resource.update', 'resource.change_permissions'])

/** Gives those of some resources that at least one of some subjects can read, change, and set permissions of. */
export function findManaged(
  tree: AccessTree,
  subjects: readonly AccessSubject[],
  keys: Iterable<Key>,
): Set<Key> {
  const managed = new Set<Key>()
  const left = new Set(keys)
  for (const subject of subjects) {
    const evaluate = createEvaluator(tree, subject)
    for (const key of left) {
      if ((evaluate(key) & managing) !== managing) continue
      managed.add(key)
      left.delete(key)
    }
    if (left.size === 0) break
  }
  return managed
}
