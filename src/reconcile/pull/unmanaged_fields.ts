import { clsNames, descriptorOf, isAllowedParent, isCls } from '../../contract/registry.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import { type ActualResource, type ActualTree, readsAll } from '../model/actual_tree.ts'
import { listUnreadFields } from '../model/unread_fields.ts'

/** What was read, and the topmost resources of what is written. */
interface Pulled {
  readonly tree: ActualTree
  readonly tops: ReadonlySet<number>
}

/** Names the fields that the account cannot read, so that applies of the pulled manifest leave them as they are. */
export function writeUnmanaged(resource: ActualResource, pulled: Pulled): WrittenBlock {
  return listed([...[...listUnreadFields(resource).values()].flat(), ...listChildren(resource, pulled)])
}

/**
 * Names all fields of a resource that the manifest does not manage, if the account cannot read which of them the manifest has set
 * there: without them, an apply would reset these.
 */
export function writeAllUnmanaged(resource: ActualResource, pulled: Pulled): WrittenBlock {
  const { cls, resmeta } = resource
  const children = listChildren(resource, pulled)
  if (resmeta !== undefined) return listed(children)
  const members = isCls(cls) ? Object.keys(descriptorOf(cls).members) : []
  return listed(['description', 'permissions', 'protect', 'resmeta', ...members, ...children])
}

/** An account that does not read everything may not see all that is below the topmost resources. */
function listChildren({ id, cls }: ActualResource, { tree, tops }: Pulled): string[] {
  if (readsAll(tree) || !tops.has(id) || !isCls(cls)) return []
  return clsNames.some((child) => isAllowedParent(child, cls)) ? ['children'] : []
}

const listed = (names: readonly string[]) => (names.length === 0 ? {} : { unmanaged: names })
