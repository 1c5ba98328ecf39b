import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { lockResources } from '../../store/resource/resource_row.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import { planRemoval, removeNodes } from './check_deletion.ts'
import { checkVersion } from './representation.ts'
import { notFound } from './require_permission.ts'
import { type Writer, writeAtOnce } from './write_resources.ts'

/**
 * Deletes a resource and all below it, or nothing. Takes `delete` on each of them and `manage_children` on the parent
 * of each.
 *
 * @throws {Problem} resource/not-found, resource/hierarchy, resource/stale, resource/protected, resource/referenced,
 *   access/denied
 */
export async function removeResource(writer: Writer, id: number): Promise<void> {
  const ifMatch = writer.headers['if-match']
  await writeAtOnce(writer, undefined, async (tx) => {
    await lockTree(tx)
    await writeRemovals(tx, writer, [{ id, ifMatch }])
  })
}

/** A deletion on its way. */
export interface RemovalStep {
  readonly id: number
  /** Entity tags, one of which the resource must have. */
  readonly ifMatch: string | undefined
}

/**
 * Deletes resources and all below them, in a number of statements that does not grow with theirs; the tree has to be
 * locked. Throws like `removeResource`.
 */
export async function writeRemovals(
  tx: Queryable,
  { caller }: Pick<Writer, 'caller'>,
  steps: readonly RemovalStep[],
): Promise<void> {
  const ids = steps.map(({ id }) => id)
  const locked = await lockResources(tx, ids)
  for (const { id, ifMatch } of steps) {
    const standing = locked.get(id)
    if (standing === undefined) throw notFound(id)
    checkVersion(ifMatch, standing)
  }
  const { affected, faults } = await planRemoval(tx, caller, { ids })
  throwFirst(ids, faults)
  await removeNodes(tx, affected)
}

/** Which resources are to go, and whether those that cannot are left. */
export interface ManyRemovals {
  readonly ids: readonly number[]
  readonly partial: boolean
}

/**
 * Deletes resources and all below them: those that can be, or all or nothing.
 *
 * @throws {Problem} of the first that cannot be deleted; see `removeResource`
 */
export async function removeResources(writer: Writer, { ids, partial }: ManyRemovals): Promise<void> {
  await writeAtOnce(writer, undefined, async (tx) => {
    await lockTree(tx)
    const { affected, faults } = await planRemoval(tx, writer.caller, { ids })
    if (!partial) throwFirst(ids, faults)
    await removeNodes(tx, affected)
  })
}

/** Throws the first of the faults, in the order of the request. */
export function throwFirst(ids: readonly number[], faults: ReadonlyMap<number, Problem>): void {
  const fault = ids.map((id) => faults.get(id)).find((one) => one !== undefined)
  if (fault !== undefined) throw fault
}
