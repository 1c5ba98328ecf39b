import type { AccessSubject, AccessTree, Key } from './access_tree.ts'
import { createEvaluator } from './evaluate_access.ts'
import { maskOf } from './permission_mask.ts'

/** Permissions required to repair the rules of a resource. */
const managePermissions = maskOf(['resource.read', 'resource.update', 'resource.change_permissions'])

/** Returns the resources that at least one of the subjects can read, update, and set permissions of. */
export function findManaged(
  tree: AccessTree,
  subjects: readonly AccessSubject[],
  keys: Iterable<Key>,
): Set<Key> {
  const managed = new Set<Key>()
  const unmanaged = new Set(keys)
  for (const subject of subjects) {
    const evaluate = createEvaluator(tree, subject)
    for (const key of unmanaged) {
      if ((evaluate(key) & managePermissions) !== managePermissions) continue
      managed.add(key)
      unmanaged.delete(key)
    }
    if (unmanaged.size === 0) break
  }
  return managed
}
