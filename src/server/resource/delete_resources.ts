import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import { lockDataVersions } from '../../store/layer/data_version.ts'
import { lockResources } from '../../store/resource/resource_row.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import { planRemoval, type RemovalPlan, removeNodes } from './check_deletion.ts'
import { recordStep } from './record_step.ts'
import { checkVersion } from './representation.ts'
import { checkMask, notFound } from './require_permission.ts'
import { staleData } from './stale_data.ts'
import { type Writer, writeAtOnce } from './write_resources.ts'

/**
 * Deletes a resource and its descendants atomically. Requires `delete` on each of them and `manage_children` on the
 * parent of each.
 *
 * @throws {Problem} resource/not-found, resource/hierarchy, resource/stale, resource/protected, resource/referenced,
 *   access/denied
 */
export async function removeResource(writer: Writer, id: number): Promise<void> {
  const ifMatch = writer.headers['if-match']
  await writeAtOnce(writer, undefined, async (tx) => {
    await lockTree(tx)
    await writeRemovals(tx, writer, [{ id, ifMatch }])
    await recordStep(tx, writer, { id })
  })
}

/** A deletion in a transaction. */
export interface RemovalStep {
  readonly id: number
  /** Entity tags, one of which the resource must have. */
  readonly ifMatch: string | undefined
  /** The only resources that the step may delete, with the required versions of their data; all if undefined. */
  readonly ifDeletes?: readonly ExpectedDeletion[] | undefined
}

/** A resource that a deletion may delete. */
export interface ExpectedDeletion {
  readonly id: number
  readonly data_version?: number
}

/**
 * Deletes resources and their descendants; the tree must be locked. The number of statements does not depend on the
 * number of resources. Throws like `removeResource`.
 */
export async function writeRemovals(
  tx: Queryable,
  remover: Pick<Writer, 'caller' | 'context'>,
  steps: readonly RemovalStep[],
): Promise<void> {
  const ids = steps.map(({ id }) => id)
  const locked = await lockResources(tx, ids)
  const { affected, faults, masks } = await planRemoval(tx, remover.caller, { ids })
  for (const { id, ifMatch } of steps) {
    const current = locked.get(id)
    if (current === undefined) throw notFound(id)
    // The version of a resource is part of what the caller may not read.
    checkMask(masks.get(id), id, 'resource.read')
    checkVersion(ifMatch, current)
  }
  throwFirst(ids, faults)
  await requireExpected(tx, steps, affected)
  await removeNodes(tx, { affected, masks }, remover)
}

/**
 * Makes sure that steps delete only what they list, with the data that they list.
 *
 * @throws {Problem} resource/stale
 */
async function requireExpected(
  tx: Queryable,
  steps: readonly RemovalStep[],
  affected: RemovalPlan['affected'],
): Promise<void> {
  const expected = steps.flatMap(({ ifDeletes }) => ifDeletes ?? [])
  if (steps.every(({ ifDeletes }) => ifDeletes !== undefined)) {
    const listed = new Set([...steps, ...expected].map(({ id }) => id))
    const other = affected.find(({ id }) => !listed.has(id))
    if (other !== undefined) throw unexpected(other.id)
  }
  const versions = await lockDataVersions(
    tx,
    expected.flatMap((one) => (one.data_version === undefined ? [] : [one.id])),
  )
  for (const { id, data_version: wanted } of expected) {
    const version = versions.get(id)
    if (version !== undefined && wanted !== undefined && version !== wanted)
      throw staleData(id, version, wanted)
  }
}

function unexpected(id: number): Problem {
  const message = `Resource id = ${id} would be deleted, too, but is not in the list of the deletion.`
  return problem('resource/stale', message, { resource: id, data: { resource: { id }, unlisted: true } })
}

/** Resources to delete, and whether to skip those that cannot be deleted. */
export interface BulkRemoval {
  readonly ids: readonly number[]
  readonly partial: boolean
}

/**
 * Deletes resources and their descendants: all of them, or with `partial` those that can be deleted.
 *
 * @throws {Problem} of the first that cannot be deleted; see `removeResource`
 */
export async function removeResources(writer: Writer, { ids, partial }: BulkRemoval): Promise<void> {
  await writeAtOnce(writer, undefined, async (tx) => {
    await lockTree(tx)
    const removal = await planRemoval(tx, writer.caller, { ids })
    if (!partial) throwFirst(ids, removal.faults)
    await removeNodes(tx, removal, writer)
  })
}

/** Throws the first of the faults, in the order of the request. */
export function throwFirst(ids: readonly number[], faults: ReadonlyMap<number, Problem>): void {
  const fault = ids.map((id) => faults.get(id)).find((one) => one !== undefined)
  if (fault !== undefined) throw fault
}
