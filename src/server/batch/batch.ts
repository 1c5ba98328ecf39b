import { maxBatchMetadata } from '../../contract/routes/batch.ts'
import type { Queryable } from '../../database/database.ts'
import { findResourceClasses } from '../../store/resource/resource_class.ts'
import { reserveIds } from '../../store/resource/resource_row.ts'
import { lockTree } from '../../store/resource/resource_tree.ts'
import type { Prepared } from '../classes/behaviour.ts'
import { behaviourOf } from '../classes/behaviours.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { writeCreations } from '../resource/create_resource.ts'
import { writeRemovals } from '../resource/delete_resources.ts'
import { prepareUpdate } from '../resource/update_resource.ts'
import { type Writer, writeAtOnce } from '../resource/write_resources.ts'
import { writeUpdates } from '../resource/write_updates.ts'
import { blame, type Operation, readOperations, targetOf, type WireOperation } from './batch_operation.ts'
import { findWaves, type Wave } from './wave.ts'

/** What became of an operation. */
export interface OperationResult {
  readonly id: number
  /** Version it has now; none where it is gone. */
  readonly version?: number
}

/**
 * Does all operations of a batch in their order, or none of them. Each is checked against the state that those before
 * it have left. Files are read and data are staged before the transaction opens; `keep` ends it.
 *
 * @throws {Problem} of an operation that cannot be done, with its index as `data.operation`
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

async function read({ context }: Writer, wire: readonly WireOperation[]): Promise<Operation[]> {
  const current = wire.flatMap(({ op, id }) => (op === 'update' && typeof id === 'number' ? [id] : []))
  const creations = wire.filter(({ op }) => op === 'create').length
  const [classes, reservedIds] = await Promise.all([
    findResourceClasses(context.database, [...new Set(current)]),
    creations === 0 ? [] : reserveIds(context.database, creations),
  ])
  const operations = readOperations(wire, { classes, reservedIds })
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
    throw blame(invalidAt('/operations', message, 'Send them in several batches.'), operation)
  }
}

/** Gets ready what takes long. Gives how to throw all of it away. */
async function prepare(writer: Writer, operations: readonly Operation[]): Promise<Prepared> {
  const made: Prepared[] = []
  const discard = async () => {
    for (const one of made) await one.discard()
  }
  try {
    for (const operation of operations) {
      operation.prepared = await prepareOne(writer, operation)
      if (operation.prepared !== undefined) made.push(operation.prepared)
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
    throw blame(error, operation)
  }
}

async function write(
  tx: Queryable,
  writer: Writer,
  operations: readonly Operation[],
): Promise<OperationResult[]> {
  // Taken at once where it is needed at all: two batches that first shared it would wait for each other for ever.
  if (operations.some(changesTree)) await lockTree(tx)
  const versions = new Map<Operation, number>()
  for (const wave of await findWaves(tx, operations)) await writeWave(tx, { writer, versions }, wave)
  // Names that clash are found now, while it can be said whose they are, and not when the transaction ends.
  await tx.query('set constraints all immediate')
  return operations.map((operation) => {
    const id = targetOf(operation)
    const version = versions.get(operation)
    return version === undefined ? { id } : { id, version }
  })
}

const changesTree = (operation: Operation) =>
  operation.op === 'delete' || (operation.op === 'update' && operation.change.parentId !== undefined)

interface Progress {
  readonly writer: Writer
  /** Versions that resources have after the operations that made or changed them. */
  readonly versions: Map<Operation, number>
}

/**
 * Does the operations of a wave together. Where that fails, halves of it are tried until the one is found that is to
 * blame: what succeeds, nearly always, costs a handful of statements.
 */
async function writeWave(tx: Queryable, progress: Progress, wave: Wave): Promise<void> {
  const [first] = wave.operations
  if (first === undefined) return
  await tx.query('savepoint wave')
  try {
    await writeTogether(tx, progress, wave)
    await tx.query('release savepoint wave')
  } catch (error) {
    if (wave.operations.length === 1) throw blame(error, first)
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
      for (const operation of wave.operations) versions.set(operation, 1)
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
