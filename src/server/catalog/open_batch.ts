import { type CatalogKind, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import {
  listGeoserviceRecords,
  listIconRecords,
  reserveRecordIds,
} from '../../store/catalog/catalog_record.ts'
import { atOperation } from '../batch/operation_place.ts'
import { type Members, type Operation, recordNotFound } from './catalog_operation.ts'
import { invalidMember } from './record_content.ts'

/** Operation whose record is known. */
export interface OpenOperation extends Operation {
  readonly id: number
  /** Version of the record before the operation; 0 for new records. */
  readonly oldVersion: number
  /** All members after the operation. */
  readonly members: Members
}

/**
 * Reads the records of the operations, checks their versions, and reserves the ids of new ones.
 *
 * @throws {Problem} catalog/not-found, catalog/stale, with the operation
 */
export async function openBatch(tx: Queryable, operations: readonly Operation[]): Promise<OpenOperation[]> {
  const opened: OpenOperation[] = []
  for (const kind of catalogKinds) {
    const own = operations.filter((operation) => operation.kind === kind)
    const ids = own.flatMap(({ id }) => (id === undefined ? [] : [id]))
    const records = await listStored(tx, kind, ids)
    const free = await reserveRecordIds(tx, kind, own.length - ids.length)
    for (const operation of own) opened.push(atOperation(operation, () => open(operation, { records, free })))
  }
  return opened.sort((a, b) => a.index - b.index)
}

/** Record as its editors read it. */
type Stored = { readonly id: number; readonly version: number } & Members

async function listStored(
  tx: Queryable,
  kind: CatalogKind,
  ids: readonly number[],
): Promise<Map<number, Stored>> {
  const list = kind === 'icon' ? await listIconRecords(tx, ids) : await listGeoserviceRecords(tx, ids)
  return new Map(list.map((record) => [record.id, record]))
}

interface Stock {
  readonly records: ReadonlyMap<number, Stored>
  readonly free: number[]
}

function open(operation: Operation, { records, free }: Stock): OpenOperation {
  const { kind, id, version, members } = operation
  if (id === undefined) {
    const reserved = free.shift()
    if (reserved === undefined) throw new Error('fewer ids were reserved than records are created')
    return { ...operation, id: reserved, oldVersion: 0 }
  }
  const record = records.get(id)
  if (record === undefined) throw recordNotFound(kind, id)
  if (version !== undefined && version !== record.version) throw stale(operation, record)
  checkIdentity(members, record)
  return { ...operation, id, oldVersion: record.version, members: { ...record, ...members } }
}

/** Members that never change: clients know a record by its guid, and read it by its type. */
const fixed = ['guid', 'type'] as const

function checkIdentity(members: Members, record: Stored): void {
  for (const name of fixed) {
    const [old, given] = [record[name], members[name]].map((value) => String(value ?? '').toLowerCase())
    if (given !== '' && given !== old)
      throw invalidMember(
        name,
        `the ${name} of a record never changes, and is "${record[name]}"`,
        'Delete the record and create it.',
      )
  }
}

function stale({ kind, version }: Operation, record: Stored) {
  const message = `The ${kind} "${record.name}" (id = ${record.id}) has version ${record.version}, not ${version}: it was changed in the meantime.`
  return problem('catalog/stale', message, { data: { id: record.id } })
}
