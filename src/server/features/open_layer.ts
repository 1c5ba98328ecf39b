import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { findPermissionMasks } from '../../store/access/effective_permission.ts'
import { type ForeignLayer, isForeign } from '../../store/feature/feature_table.ts'
import { ensureFeatureTable } from '../../store/layer/layer_table.ts'
import { findLayers, type Layer, touchLayer, type WritableLayer } from '../../store/layer/stored_layer.ts'
import { recordDataChange } from '../../store/resource/last_change.ts'
import type { ServerContext } from '../context.ts'
import { findDatabase } from '../geodb/geodb_session.ts'
import type { ApiRequest } from '../http/handler.ts'
import { checkMask, lacksPart } from '../resource/require_permission.ts'

/** The parts of a request that operations on a layer need. */
export type LayerRequest = Pick<ApiRequest, 'context' | 'caller' | 'signal'> & {
  readonly params: { readonly id: number }
}

/**
 * Gets the layer of a request.
 *
 * @throws {Problem} resource/not-found if the resource has no features
 */
export async function getLayer(tx: Queryable, id: number): Promise<Layer> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined) throw await lacksPart(tx, id, 'features')
  return layer
}

/** A layer and the database of its features: the server's, or an external one. */
export interface OpenLayer {
  readonly layer: Layer
  readonly database: Database
}

/**
 * Gets the layer of a request, to read its features.
 *
 * @throws {Problem} resource/not-found if the resource has no features
 */
export async function openLayer(context: ServerContext, id: number): Promise<OpenLayer> {
  const layer = await getLayer(context.database, id)
  return { layer, database: await findDatabase(context, layer) }
}

/** Writes features in a transaction of their database. */
type Write<T> = (tx: Queryable, layer: WritableLayer) => Promise<T>

/**
 * Changes the features of a layer in one transaction, and increments its data version. Other writers of the layer wait.
 * The permission is read without cache.
 *
 * @throws {Problem} resource/not-found, access/denied, and what the work throws
 */
export async function writeLayer<T>(request: LayerRequest, work: Write<T>): Promise<T> {
  const { context, caller, signal } = request
  const { id } = request.params
  const change = async (tx: Queryable) => {
    const version = await touchLayer(tx, id)
    const masks = await findPermissionMasks(tx, caller, [id])
    checkMask(masks.get(id), id, 'data.write')
    const layer = await getLayer(tx, id)
    if (isForeign(layer)) return { layer }
    const result = await work(tx, await ensureFeatureTable(tx, layer))
    await recordDataChange(tx, { ids: [id], version }, caller.id)
    return { result }
  }
  const done = await context.database.transaction(change, { signal })
  return 'result' in done ? done.result : writeForeign(request, done.layer, work)
}

// Runs after the server's own transaction: an external database may be slow, and the embedded one has a single session.
async function writeForeign<T>(
  { context, caller, signal }: LayerRequest,
  layer: ForeignLayer,
  work: Write<T>,
): Promise<T> {
  const database = await findDatabase(context, layer)
  const result = await database.transaction((tx) => work(tx, layer), { signal })
  await touchLayer(context.database, layer.resourceId)
  await recordDataChange(context.database, { ids: [layer.resourceId] }, caller.id)
  return result
}

/**
 * Rejects extensions of features in an external database.
 *
 * @throws {Problem} request/not-built
 */
export function refuseForeign(layer: Layer): void {
  if (isForeign(layer))
    throw problem(
      'request/not-built',
      'Features in an external database cannot have descriptions or attachments.',
    )
}

/**
 * Checks that a feature id is not beyond 2^53, which no feature has.
 *
 * @throws {Problem} feature/not-found
 */
export function checkFeatureId(layerId: number, id: number): void {
  if (!Number.isSafeInteger(id)) throw featureNotFound(layerId, id)
}

/** Returns the problem of a missing feature. Does not show an id beyond 2^53, since it is rounded. */
export function featureNotFound(layerId: number, id: number): Problem {
  const isExact = Number.isSafeInteger(id)
  const shown = isExact ? `id = ${id}` : 'that id'
  return problem('feature/not-found', `Feature with ${shown} was not found in resource id = ${layerId}.`, {
    resource: layerId,
    data: { resource_id: layerId, ...(isExact ? { feature_id: id } : {}) },
  })
}

/**
 * SQLSTATEs of statements that fail because the table changed after the layer was read: the table was replaced, or a
 * column was dropped or changed its type.
 *
 * @see PostgreSQL, appendix A
 */
const outdated: readonly unknown[] = ['42P01', '42703', '42883', '42804', '0A000']

/** Internal errors of PostgreSQL for a table that is dropped while a statement starts. */
const dropped = /^(could not open relation|cache lookup failed)/

const maxAttempts = 5

/**
 * Wraps work that reads a layer and then its features, and retries it if the schema of the layer changed in between.
 * Failed work must not leave anything behind.
 *
 * @throws {Problem} database/conflict after several attempts
 */
export function retryOnSchemaChange<A, R>(work: (request: A) => Promise<R>): (request: A) => Promise<R> {
  return async (request) => {
    for (let left = maxAttempts - 1; ; left -= 1) {
      try {
        return await work(request)
      } catch (error) {
        if (!isOutdated(error)) throw error
        if (left > 0) continue
        throw problem('database/conflict', 'The layer kept changing while it was read.', { cause: error })
      }
    }
  }
}

function isOutdated(error: unknown): boolean {
  // Internal errors were wrapped as feature/invalid before.
  const cause = isProblem(error, 'feature/invalid') ? error.cause : error
  if (!isProblem(cause, 'database/query')) return false
  return outdated.includes(cause.data.sqlstate) || dropped.test(cause.message)
}
