import type { WireStyleIssue } from '../../contract/bodies/style_issue.ts'
import { isResourceId } from '../../contract/limits.ts'
import { maxBatchMetadata } from '../../contract/routes/batch.ts'
import type { Queryable } from '../../database/database.ts'
import { continueVersions, findRestorable } from '../../store/resource/deleted_resource.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import { reserveIds } from '../../store/resource/resource_row.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { findStyleIssues, type WrittenResource } from '../classes/style_issues.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { writeCreations } from '../resource/create_resource.ts'
import { writeRemovals } from '../resource/delete_resources.ts'
import { prepareUpdate } from '../resource/update_resource.ts'
import { classMembers, type Writer, writeAtOnce } from '../resource/write_resources.ts'
import { writeUpdates } from '../resource/write_updates.ts'
import { type Operation, readOperations, targetOf, type WireOperation } from './batch_operation.ts'
import { addOperation } from './operation_place.ts'
import { findWaves, type Wave } from './wave.ts'

/** Result of an operation. */
export interface OperationResult {
  readonly id: number
  /** New version; undefined for deletions. */
  readonly version?: number
  /** Issues of the style that the operation wrote. */
  readonly style_issues?: WireStyleIssue[]
}

/**
 * Runs the operations of a batch in order and atomically. Each is checked against the state after those before it. Files
 * are read and data staged before the transaction opens; `keep` runs at its end.
 *
 * @throws {Problem} of an operation that fails, with its index as `data.operation`
 */
export async function runBatch(
  writer: Writer,
  wire: readonly WireOperation[],
  keep: (tx: Queryable, results: readonly OperationResult[]) => Promise<void>,
): Promise<OperationResult[]> {
  const operations = await read(writer, wire)
  const prepared = await prepare(writer, operations)
  return writeAtOnce(writer, prepared, async (tx) => {
    const results = await write(tx, writer, operations)
    await keep(tx, results)
    return results
  })
}

async function read({ context, caller }: Writer, wire: readonly WireOperation[]): Promise<Operation[]> {
  const updatedIds = wire.flatMap(({ op, id }) => (op === 'update' && typeof id === 'number' ? [id] : []))
  const creations = wire.filter(({ op }) => op === 'create')
  const formerIds = creations.flatMap(({ id }) => (typeof id === 'number' && isResourceId(id) ? [id] : []))
  const [classes, reservedIds, restorableIds] = await Promise.all([
    findResourceClasses(context.database, [...new Set(updatedIds)]),
    creations.length === 0 ? [] : reserveIds(context.database, creations.length),
    findRestorable(context.database, formerIds, caller),
  ])
  const operations = readOperations(wire, { classes, reservedIds, restorableIds })
  checkMetadata(operations)
  return operations
}

function checkMetadata(operations: readonly Operation[]): void {
  let count = 0
  for (const operation of operations) {
    if (operation.op === 'delete') continue
    const { resmeta } = (operation.op === 'create' ? operation.creation : operation.change).written
    count += Object.keys(resmeta?.items ?? {}).length
    if (count <= maxBatchMetadata) continue
    const message = `the operations write more than ${maxBatchMetadata} metadata keys`
    throw addOperation(invalidAt('/operations', message, 'Send them in several batches.'), operation)
  }
}

/** Runs the long work of all operations. Returns a function that discards their results. */
async function prepare(writer: Writer, operations: readonly Operation[]): Promise<Prepared> {
  const results: Prepared[] = []
  const discard = async () => {
    for (const one of results) await one.discard()
  }
  try {
    for (const operation of operations) {
      operation.prepared = await prepareOne(writer, operation)
      if (operation.prepared !== undefined) results.push(operation.prepared)
    }
    return { discard }
  } catch (error) {
    await discard()
    throw error
  }
}

async function prepareOne(writer: Writer, operation: Operation): Promise<Prepared | undefined> {
  const { context, caller, signal } = writer
  try {
    if (operation.op === 'create') {
      const { cls, members, fault } = operation.creation
      if (fault !== undefined) return undefined
      return await behaviourOf(cls).prepare?.({ context, caller, id: undefined, members, signal })
    }
    return operation.op === 'update' ? await prepareUpdate(writer, operation.change) : undefined
  } catch (error) {
    throw addOperation(error, operation)
  }
}

async function write(
  tx: Queryable,
  writer: Writer,
  operations: readonly Operation[],
): Promise<OperationResult[]> {
  // Locked first: two batches that upgrade a shared lock would deadlock.
  if (operations.some(changesTree)) await lockTree(tx)
  const versions = new Map<Operation, number>()
  for (const wave of await findWaves(tx, operations)) await writeWave(tx, { writer, versions }, wave)
  // Checks unique names now: at the end of the transaction, the operation would be unknown.
  await tx.query('set constraints all immediate')
  const styleIssues = await findStyleIssues(tx, writer.caller, operations.flatMap(writtenStyle))
  return operations.map((operation) => {
    const id = targetOf(operation)
    const version = versions.get(operation)
    if (version === undefined) return { id }
    return { id, version, ...(writtenStyle(operation).length === 0 ? {} : styleIssues.get(id)) }
  })
}

/** Returns the resource of an operation that writes members of its class. */
function writtenStyle(operation: Operation): WrittenResource[] {
  if (operation.op === 'delete') return []
  if (operation.op === 'create') return [{ id: operation.id, cls: operation.creation.cls }]
  const { id, cls, written } = operation.change
  return Object.keys(classMembers(cls, written)).length === 0 ? [] : [{ id, cls }]
}

const changesTree = (operation: Operation) =>
  operation.op === 'delete' || (operation.op === 'update' && operation.change.parentId !== undefined)

interface Progress {
  readonly writer: Writer
  /** Versions of resources after the operations that created or updated them. */
  readonly versions: Map<Operation, number>
}

/**
 * Runs the operations of a wave together. If that fails, bisects the wave to find the failing operation; the common
 * successful case takes few statements.
 */
async function writeWave(tx: Queryable, progress: Progress, wave: Wave): Promise<void> {
  const [first] = wave.operations
  if (first === undefined) return
  await tx.query('savepoint wave')
  try {
    await writeTogether(tx, progress, wave)
    await tx.query('release savepoint wave')
  } catch (error) {
    if (wave.operations.length === 1) throw addOperation(error, first)
    await tx.query('rollback to savepoint wave')
    const half = Math.ceil(wave.operations.length / 2)
    await writeWave(tx, progress, { ...wave, operations: wave.operations.slice(0, half) } as Wave)
    await writeWave(tx, progress, { ...wave, operations: wave.operations.slice(half) } as Wave)
  }
}

async function writeTogether(tx: Queryable, { writer, versions }: Progress, wave: Wave): Promise<void> {
  switch (wave.op) {
    case 'create':
      await writeCreations(tx, writer, wave.operations)
      await setVersions(tx, versions, wave.operations)
      return
    case 'update': {
      const found = await writeUpdates(tx, writer, wave.operations)
      for (const [at, operation] of wave.operations.entries()) versions.set(operation, found[at] ?? 0)
      return
    }
    case 'delete':
      await writeRemovals(tx, writer, wave.operations)
  }
}

/** Records the versions of created resources; restored ones continue theirs. */
async function setVersions(
  tx: Queryable,
  versions: Map<Operation, number>,
  operations: Extract<Wave, { readonly op: 'create' }>['operations'],
): Promise<void> {
  const restored = operations.flatMap(({ id, restores }) => (restores ? [id] : []))
  const continued = await continueVersions(tx, restored)
  for (const operation of operations) versions.set(operation, continued.get(operation.id) ?? 1)
}
