import { catalogLimits } from '../../contract/catalog/catalog.ts'
import { type CatalogKind, type CatalogOperation, catalogKinds } from '../../contract/catalog/catalog_edit.ts'
import { isResourceId } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import type { Queryable } from '../../database/database.ts'
import type { Boundary } from '../../geo/boundary.ts'
import {
  countRecords,
  deleteRecords,
  findByGuid,
  findDuplicate,
  listIconRecords,
  lockCatalog,
} from '../../store/catalog/catalog_record.ts'
import {
  findInvalidBoundary,
  insertGeoservices,
  insertIcons,
  updateGeoservices,
  updateIcons,
} from '../../store/catalog/write_record.ts'
import { findKnownSrs } from '../../store/classes/known_srs.ts'
import { geometryProblem } from '../../store/feature/feature_sql.ts'
import { addOperation, atOperation } from '../batch/operation_place.ts'
import type { ApiRequest } from '../http/handler.ts'
import { type Operation, readOperations } from './catalog_operation.ts'
import { requireEditor } from './editor.ts'
import { type OpenOperation, openBatch } from './open_batch.ts'
import {
  type CheckedImage,
  geoserviceRow,
  iconRow,
  invalidMember,
  readBoundary,
  readImage,
} from './record_content.ts'

type Request = Pick<ApiRequest, 'context' | 'caller' | 'signal' | 'idempotency'>

/** Result of an operation. */
interface RecordResult {
  readonly id: number
  /** New version; undefined for deletions. */
  readonly version?: number
}

interface Given {
  readonly index: number
  readonly boundary: Boundary
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

/**
 * Adds and changes the geoservices of a batch. Its icons are written, its boundaries checked.
 *
 * @throws {Problem} catalog/invalid, with the operation
 */
async function writeGeoservices(
  tx: Queryable,
  opened: readonly OpenOperation[],
  submitterId: number,
): Promise<void> {
  const own = opened.filter(({ kind, op }) => kind === 'geoservice' && op !== 'delete')
  if (own.length === 0) return
  const findIcon = await indexIcons(tx, opened)
  const written = own.map((operation) => ({
    operation,
    row: atOperation(operation, () =>
      geoserviceRow(operation.id, operation.members, findIcon(operation.members.icon)),
    ),
  }))
  const rowsOf = (op: OpenOperation['op']) =>
    written.filter(({ operation }) => operation.op === op).map(({ row }) => row)
  const [created, updated] = [rowsOf('create'), rowsOf('update')]
  if (created.length > 0) await insertGeoservices(tx, created, submitterId)
  if (updated.length > 0) await updateGeoservices(tx, updated)
}

/** Returns a function that finds the id of an icon by its id or local name. */
async function indexIcons(tx: Queryable, opened: readonly OpenOperation[]) {
  const names = new Map(opened.flatMap(({ name, id }) => (name === undefined ? [] : [[name, id] as const])))
  const asked = opened.flatMap(({ members: { icon } }) =>
    typeof icon === 'number' && isResourceId(icon) ? [icon] : [],
  )
  const known = new Set((await listIconRecords(tx, asked)).map(({ id }) => id))
  return (icon: unknown): number | null => {
    if (icon === undefined || icon === null) return null
    const id = typeof icon === 'number' ? icon : names.get(String(icon))
    if (id !== undefined && (typeof icon === 'string' || known.has(id))) return id
    const what = typeof icon === 'number' ? `id = ${icon}` : `the local name "${icon}"`
    throw invalidMember('icon', `there is no icon with ${what}`)
  }
}

/**
 * Checks the boundaries of a batch before its transaction begins, which an error would end.
 *
 * @throws {Problem} catalog/invalid, with the operation
 */
async function checkBoundaries(database: Queryable, operations: readonly Operation[]): Promise<void> {
  const given = operations.flatMap(({ index, members: { boundary: text } }) =>
    typeof text === 'string' ? [{ index, boundary: atOperation({ index }, () => readBoundary(text)) }] : [],
  )
  if (given.length === 0) return
  await checkReferenceSystems(database, given)
  await checkShapes(database, given)
}

async function checkReferenceSystems(database: Queryable, given: readonly Given[]): Promise<void> {
  const known = await findKnownSrs(database, [...new Set(given.map(({ boundary }) => boundary.srs))])
  const unknown = given.find(({ boundary }) => !known.has(boundary.srs))
  if (unknown !== undefined) refuse(unknown, `unknown reference system EPSG:${unknown.boundary.srs}`)
}

/** Checks boundaries together, and halves the list where PostGIS fails, until the boundary is found. */
async function checkShapes(database: Queryable, given: readonly Given[]): Promise<void> {
  const [first] = given
  if (first === undefined) return
  const list = given.map(({ boundary }) => boundary)
  const fault = await findInvalidBoundary(database, list).catch((error: unknown) => {
    const found = geometryProblem(error)
    if (isProblem(found, 'feature/invalid')) return found.message
    throw error
  })
  if (fault === undefined) return
  if (typeof fault === 'object') return refuse(given[fault.at] ?? first, fault.reason)
  if (given.length === 1) return refuse(first, fault)
  const half = Math.ceil(given.length / 2)
  await checkShapes(database, given.slice(0, half))
  await checkShapes(database, given.slice(half))
}

function refuse({ index }: Given, reason: string): never {
  return atOperation({ index }, () => {
    throw invalidMember('boundary', reason)
  })
}
