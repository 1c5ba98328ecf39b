import { descriptorOf, isCls } from '../../contract/registry.ts'
import type { WrittenBlock } from '../../manifest/rewrite.ts'
import type { ActualResource } from '../model/actual_tree.ts'
import { listUnreadFields } from '../model/unread_fields.ts'

/** Names the fields that the account cannot read, so that applies of the pulled manifest leave them as they are. */
export function writeUnmanaged(resource: ActualResource): WrittenBlock {
  return listed([...listUnreadFields(resource).values()].flat())
}

/**
 * Names all fields of a resource that the manifest does not manage, if the account cannot read which of them the manifest has set
 * there: without them, an apply would reset these.
 */
export function writeAllUnmanaged({ cls, resmeta }: ActualResource): WrittenBlock {
  if (resmeta !== undefined) return {}
  const members = isCls(cls) ? Object.keys(descriptorOf(cls).members) : []
  return listed(['description', 'permissions', 'protect', 'resmeta', ...members])
}

const listed = (names: readonly string[]) => (names.length === 0 ? {} : { unmanaged: names })
