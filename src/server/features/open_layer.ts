import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { type ForeignLayer, isForeign } from '../../store/feature/foreign_table.ts'
import { ensureFeatureTable } from '../../store/layer/layer_table.ts'
import { findLayers, type Layer, touchLayer, type WritableLayer } from '../../store/layer/stored_layer.ts'
import type { ServerContext } from '../context.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import type { ApiRequest } from '../http/handler.ts'
import { checkMask, lacksPart } from '../resource/require_permission.ts'

/** What the operations on one layer have in common. */
export type LayerRequest = Pick<ApiRequest, 'context' | 'caller' | 'signal'> & {
  readonly params: { readonly id: number }
}

/**
 * Gets the layer of a request.
 *
 * @throws {Problem} resource/not-found where the resource has no features
 */
export async function getLayer(tx: Queryable, id: number): Promise<Layer> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined) throw await lacksPart(tx, id, 'features')
  return layer
}

/** A layer, and the database that its features stand in: ours, or another that it reads through a connection. */
export interface OpenLayer {
  readonly layer: Layer
  readonly database: Database
}

/**
 * Gets the layer of a request, to read its features.
 *
 * @throws {Problem} resource/not-found where the resource has no features
 */
export async function openLayer(context: ServerContext, id: number): Promise<OpenLayer> {
  const layer = await getLayer(context.database, id)
  return { layer, database: await findDatabase(context, layer) }
}

/** What writes features: in a transaction of the database that they stand in. */
type Write<T> = (tx: Queryable, layer: WritableLayer) => Promise<T>

/**
 * Changes the features of the layer of a request in one transaction, and counts the change. Other writers of the layer
 * wait; the permission is computed afresh.
 *
 * @throws {Problem} resource/not-found, access/denied, and what the work throws
 */
export async function writeLayer<T>(request: LayerRequest, work: Write<T>): Promise<T> {
  const { context, caller, signal } = request
  const { id } = request.params
  const change = async (tx: Queryable) => {
    await touchLayer(tx, id)
    const masks = await findPermissionMasks(tx, caller, [id])
    checkMask(masks.get(id), id, 'data.write')
    const layer = await getLayer(tx, id)
    if (isForeign(layer)) return { layer }
    return { result: await work(tx, await ensureFeatureTable(tx, layer)) }
  }
  const done = await context.database.transaction(change, { signal })
  return 'result' in done ? done.result : writeForeign(request, done.layer, work)
}

// Our own transaction is over by then: another database may take its time, and ours has a single session embedded.
async function writeForeign<T>(
  { context, signal }: LayerRequest,
  layer: ForeignLayer,
  work: Write<T>,
): Promise<T> {
  const database = await findDatabase(context, layer)
  const result = await database.transaction((tx) => work(tx, layer), { signal })
  await touchLayer(context.database, layer.resourceId)
  return result
}

/**
 * Refuses to keep something beside the features of another database.
 *
 * @throws {Problem} request/not-built
 */
export function refuseForeign(layer: Layer): void {
  if (isForeign(layer))
    throw problem(
      'request/not-built',
      'Features of another database take no descriptions and no attachments.',
    )
}

/**
 * Checks that a feature may have such an id at all: one that is too great for the database is the id of none.
 *
 * @throws {Problem} feature/not-found
 */
export function checkFeatureId(layerId: number, id: number): void {
  if (!Number.isSafeInteger(id)) throw featureNotFound(layerId, id)
}

/** A feature that does not exist. An id beyond 2^53 is not shown: its number is rounded. */
export function featureNotFound(layerId: number, id: number): Problem {
  const isExact = Number.isSafeInteger(id)
  const shown = isExact ? `id = ${id}` : 'that id'
  return problem('feature/not-found', `Feature with ${shown} was not found in resource id = ${layerId}.`, {
    resource: layerId,
    data: { resource_id: layerId, ...(isExact ? { feature_id: id } : {}) },
  })
}

/**
 * SQLSTATEs of a statement about a table that is not, or not any more, as the layer was read: the table is another one,
 * or a column has gone or is of another type.
 *
 * @see PostgreSQL, appendix A
 */
const outdated: readonly unknown[] = ['42P01', '42703', '42883', '42804', '0A000']

/** The same, said as an error within, where the table goes at the wrong moment. */
const vanished = /^(could not open relation|cache lookup failed)/

const mostTries = 5

/**
 * Makes work that reads a layer and then its features do so again where the layer has changed in between: fields come
 * and go, data is replaced, and layers are deleted. Nothing may be left of work that failed.
 */
export function steadily<A, R>(work: (request: A) => Promise<R>): (request: A) => Promise<R> {
  return async (request) => {
    for (let left = mostTries - 1; ; left -= 1) {
      try {
        return await work(request)
      } catch (error) {
        if (!isOutdated(error)) throw error
        if (left > 0) continue
        throw problem('database/conflict', 'The layer changes all the time.', { cause: error })
      }
    }
  }
}

function isOutdated(error: unknown): boolean {
  // An error within is taken for one of geometry before it gets here.
  const told = isProblem(error, 'feature/invalid') ? error.cause : error
  if (!isProblem(told, 'database/query')) return false
  return outdated.includes(told.data.sqlstate) || vanished.test(told.message)
}
