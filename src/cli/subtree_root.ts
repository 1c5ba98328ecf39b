import { problem } from '../contract/problems.ts'
import type { ActualResource, ActualTree } from '../reconcile/model/actual_tree.ts'

/**
 * Finds the root of a subtree by keyname or id.
 *
 * @throws {Problem} plan/missing
 */
export function findRoot(tree: ActualTree, root: string): ActualResource {
  const found = tree.byKeyname.get(root) ?? (/^\d+$/.test(root) ? tree.byId.get(Number(root)) : undefined)
  if (found !== undefined) return found
  throw problem('plan/missing', `The server has no resource "${root}" that this account can read.`)
}
