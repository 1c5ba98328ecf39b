import { catalogLimits } from '../../contract/catalog/catalog.ts'
import { type CatalogKind, type CatalogOperation, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import {
  countRecords,
  deleteRecords,
  findByGuid,
  findDuplicate,
  lockCatalog,
} from '../../store/catalog/catalog_record.ts'
import { insertIcons, updateIcons } from '../../store/catalog/write_record.ts'
import { addOperation } from '../batch/operation_place.ts'
import type { ApiRequest } from '../http/handler.ts'
import { type Operation, readOperations } from './catalog_operation.ts'
import { checkBoundaries } from './check_boundaries.ts'
import { requireEditor } from './editor.ts'
import { type OpenOperation, openBatch } from './open_batch.ts'
import { type CheckedImage, iconRow, invalidMember, readImage } from './record_content.ts'
import { writeGeoservices } from './write_geoservices.ts'

type Request = Pick<ApiRequest, 'context' | 'caller' | 'signal' | 'idempotency'>

/** Result of an operation. */
interface RecordResult {
  readonly id: number
  /** New version; undefined for deletions. */
  readonly version?: number
}

/**
 * Runs operations on the catalog in one transaction: deletions first, then icons, then geoservices.
 *
 * @throws {Problem} access/denied, request/invalid, catalog/*, with the operation
 */
export async function changeCatalog(
  request: Request,
  wire: readonly CatalogOperation[],
): Promise<RecordResult[]> {
  await requireEditor(request)
  const operations = readOperations(wire)
  const images = await readImages(operations)
  const { context, caller, signal, idempotency } = request
  await checkBoundaries(context.database, operations)
  return context.database.transaction(
    async (tx) => {
      await lockCatalog(tx)
      const opened = await openBatch(tx, operations)
      await deleteEach(tx, opened)
      await checkGuids(tx, opened)
      await writeIcons(tx, opened, images)
      await writeGeoservices(tx, opened, caller.id)
      for (const kind of new Set(opened.map(({ kind }) => kind))) await checkRecords(tx, kind, opened)
      const results = opened.map(resultOf)
      await idempotency.store(tx, { results })
      return results
    },
    { signal },
  )
}

function resultOf({ op, id, oldVersion }: OpenOperation): RecordResult {
  return op === 'delete' ? { id } : { id, version: oldVersion + 1 }
}

/** Images by the index of their operation. */
type Images = ReadonlyMap<number, CheckedImage>

/** Decodes and draws images before the transaction begins. */
async function readImages(operations: readonly Operation[]): Promise<Images> {
  const images = new Map<number, CheckedImage>()
  for (const operation of operations) {
    if (operation.kind !== 'icon') continue
    const image = await readIconImage(operation).catch((error: unknown) => {
      throw addOperation(error, operation)
    })
    if (image !== undefined) images.set(operation.index, image)
  }
  return images
}

async function readIconImage({ op, members }: Operation): Promise<CheckedImage | undefined> {
  const image = await readImage(members)
  if (image === undefined && op === 'create') throw invalidMember('image', 'a new icon requires an image')
  return image
}

async function deleteEach(tx: Queryable, opened: readonly OpenOperation[]): Promise<void> {
  for (const kind of catalogKinds) {
    const ids = opened.filter((one) => one.kind === kind && one.op === 'delete').map(({ id }) => id)
    if (ids.length > 0) await deleteRecords(tx, kind, ids)
  }
}

async function writeIcons(tx: Queryable, opened: readonly OpenOperation[], images: Images): Promise<void> {
  const rowsOf = (op: OpenOperation['op']) =>
    opened
      .filter((one) => one.kind === 'icon' && one.op === op)
      .map(({ id, index, members }) => iconRow(id, members, images.get(index)))
  const [created, updated] = [rowsOf('create'), rowsOf('update')]
  if (created.length > 0) await insertIcons(tx, created)
  if (updated.length > 0) await updateIcons(tx, updated)
}

/** Checks that global identifiers are new: they are what other catalogs know a record by, and never change. */
async function checkGuids(tx: Queryable, opened: readonly OpenOperation[]): Promise<void> {
  for (const kind of catalogKinds) {
    const given = opened.filter((one) => one.kind === kind && typeof one.members.guid === 'string')
    const holders = await findByGuid(
      tx,
      kind,
      given.map(({ members }) => String(members.guid)),
    )
    for (const { id, index, members } of given) {
      const guid = String(members.guid).toLowerCase()
      const holder = holders.get(guid)
      if (holder !== undefined && holder !== id)
        throw taken({ kind, member: 'guid', value: guid, id: holder, index })
      holders.set(guid, id)
    }
  }
}

/** Checks what holds for all records together. */
async function checkRecords(
  tx: Queryable,
  kind: CatalogKind,
  opened: readonly OpenOperation[],
): Promise<void> {
  for (const member of ['name', 'keyname'] as const) {
    const found = await findDuplicate(tx, kind, member)
    if (found === undefined) continue
    const { ids, value } = found
    const last = opened.findLast((one) => one.kind === kind && ids.includes(one.id))
    const holder = ids.find((id) => id !== last?.id) ?? 0
    throw taken({ kind, member, value, id: holder, index: last?.index ?? 0 })
  }
  const count = await countRecords(tx, kind)
  if (count > catalogLimits.records)
    throw problem(
      'catalog/invalid',
      `The catalog would have ${count} records of kind "${kind}"; the limit is ${catalogLimits.records}.`,
    )
}

interface Taken {
  readonly kind: CatalogKind
  readonly member: 'name' | 'keyname' | 'guid'
  readonly value: string
  /** Record that has the value. */
  readonly id: number
  readonly index: number
}

function taken({ kind, member, value, id, index }: Taken) {
  const message = `The ${member} "${value}" belongs to another ${kind}, id = ${id}.`
  return problem('catalog/name-taken', message, {
    data: { operation: index, location: ['body', `/${member}`] },
  })
}
