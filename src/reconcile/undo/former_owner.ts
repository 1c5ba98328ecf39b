import type { ActualResource, ActualTree } from '../model/actual_tree.ts'

/** Owner that a resource had before an apply. */
export interface FormerOwner {
  /** As in rules: `user:ada`. */
  readonly name: string
  /** Whether the account may give the resource to the owner: only administrators may, and who creates a resource owns it. */
  readonly isAllowed: boolean
}

/** Finds the owner that an undo would give a resource back to; undefined if it does not change. */
export function findFormerOwner(
  { ownerId }: ActualResource,
  there: ActualResource | undefined,
  { administrator, caller, principals }: Pick<ActualTree, 'administrator' | 'caller' | 'principals'>,
): FormerOwner | undefined {
  if (ownerId === undefined || ownerId === there?.ownerId) return undefined
  const name = principals.nameOf(ownerId)
  if (!administrator && there === undefined && name === `user:${caller}`) return undefined
  return { name, isAllowed: administrator }
}
