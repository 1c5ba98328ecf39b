import { createHash } from 'node:crypto'
import { keyHeader } from '../../contract/bodies/idempotency.ts'
import { bodyLimitOf } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { type featureRoutes, maxFeatures } from '../../contract/routes/feature.ts'
import { routes } from '../../contract/routes.ts'
import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import { findRasters } from '../../store/classes/raster_layer.ts'
import { digestStatement } from '../../store/feature/feature_digest.ts'
import { extensionsStatement } from '../../store/feature/feature_extensions.ts'
import { geometryProblem } from '../../store/feature/feature_sql.ts'
import { isForeign } from '../../store/feature/feature_table.ts'
import { findFeatureExtent } from '../../store/feature/layer_extent.ts'
import { findFeature, listStatement } from '../../store/feature/read_features.ts'
import {
  deleteAllFeatures,
  deleteFeatures,
  insertFeatures,
  updateFeatures,
} from '../../store/feature/write_features.ts'
import { countUnconvertible } from '../../store/layer/field_change.ts'
import { untouchLayer, type WritableLayer } from '../../store/layer/stored_layer.ts'
import { recordDataChange } from '../../store/resource/last_change.ts'
import { writeExtensionsOf } from '../attachments/attachment_extension.ts'
import { storePreviews } from '../attachments/attachment_preview.ts'
import { effectOf, readContent, readTarget, type WriteEffect } from '../features/feature_content.ts'
import { readFieldNames, readFilter, readFormat, readSelection } from '../features/feature_query.ts'
import { identify } from '../features/identify_features.ts'
import { readCount, readExtent } from '../features/layer_statistics.ts'
import {
  checkFeatureId,
  featureNotFound,
  type LayerRequest,
  openLayer,
  retryOnSchemaChange,
  writeLayer,
} from '../features/open_layer.ts'
import { patchFeatures } from '../features/patch_features.ts'
import { openPage, type PartSelection, splitReading } from '../features/read_parts.ts'
import type { Answer, ApiRequest, Handlers } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { readJsonItems } from '../http/json_items.ts'
import { rasterExtent } from '../map/layer_extents.ts'
import { spoolBody, streamRows } from '../stream/spool.ts'

const json = 'application/json'

/** Operations on the features of layers. */
export const featureHandlers: Handlers<
  Exclude<keyof typeof featureRoutes, 'feature.export' | 'feature.geojson'> | 'feature.identify'
> = {
  'feature.get': retryOnSchemaChange(async ({ context, params: { id, fid }, query }) => {
    checkFeatureId(id, fid)
    const { layer, database } = await openLayer(context, id)
    const format = await readFormat(database, layer, query)
    const feature = await findFeature(database, layer, { id: fid, format }).catch(rethrow)
    if (feature === undefined) throw featureNotFound(id, fid)
    return { bytes: Buffer.from(feature), mediaType: json }
  }),

  'feature.list': retryOnSchemaChange((request) => listFeatures(request)),
  'feature.search': retryOnSchemaChange((request) => listFeatures(request)),

  'feature.create': async (request) => {
    const { body, query } = request
    const { id, digests } = await writeLayer(request, async (tx, layer) => {
      checkKey(request, layer)
      const target = await readTarget(tx, layer, query)
      const content = readContent(target, body, query)
      const [id = 0] = await insertFeatures(tx, target, [content])
      const digests = await writeExtensionsOf(
        tx,
        { layer, userId: request.caller.id },
        new Map([[id, content.extensions]]),
      )
      await request.idempotency.store(tx, { id })
      return { id, digests }
    })
    await storePreviews(request.context, digests)
    return { json: { id } }
  },

  'feature.update': async (request) => {
    const { body, query, params } = request
    checkFeatureId(params.id, params.fid)
    const digests = await writeLayer(request, async (tx, layer) => {
      const target = await readTarget(tx, layer, query)
      const change = { ...readContent(target, body, query), id: params.fid }
      const found = await updateFeatures(tx, target, [change])
      if (found.size === 0) throw featureNotFound(params.id, params.fid)
      await keepVersion(tx, request, { layer, effect: effectOf(change, found.get(params.fid) === true) })
      return writeExtensionsOf(
        tx,
        { layer, userId: request.caller.id },
        new Map([[params.fid, change.extensions]]),
      )
    })
    await storePreviews(request.context, digests)
    return { json: { id: params.fid } }
  },

  'feature.delete': async (request) => {
    await deleteListed(request, [request.params.fid])
    return { json: { id: request.params.fid } }
  },

  'feature.delete_many': async (request) => {
    if (request.body === undefined) {
      await writeLayer(request, async (tx, layer) => {
        const isChanged = await deleteAllFeatures(tx, layer)
        await keepVersion(tx, request, { layer, effect: isChanged ? 'data' : 'nothing' })
      })
      return { json: true }
    }
    const ids = readIds(request.body)
    await deleteListed(request, ids)
    return { json: ids }
  },

  'feature.patch': async (request) => {
    const { context, query, raw, idempotency } = request
    // Receives the complete body before the transaction, so that a slow client does not hold locks.
    const hash = idempotency.isKeyed ? createHash('sha256') : undefined
    await using body = await spoolBody(raw, {
      folder: context.temporaryFolder,
      limitBytes: bodyLimitOf(routes['feature.patch'], context.bodyLimitBytes),
      onChunk: (chunk) => hash?.update(chunk),
    })
    const before = await idempotency.begin(hash?.digest('hex'))
    if (before !== undefined) return before as Answer<{ id: number }[]>
    const json = await writeLayer(request, async (tx, layer) => {
      checkKey(request, layer)
      const target = await readTarget(tx, layer, query)
      const entries = readJsonItems(body.chunks(), { itemLimitBytes: context.bodyLimitBytes })
      const { ids, effect } = await patchFeatures(tx, target, { entries, query, userId: request.caller.id })
      await keepVersion(tx, request, { layer, effect })
      const created = ids.map((id) => ({ id }))
      await idempotency.store(tx, created)
      return created
    })
    return { json }
  },

  'feature.count': retryOnSchemaChange(async ({ context, params, query, more }) => {
    const { total, filtered } = await readCount(context, params.id, readFilter({ query, more }))
    const isFiltered = more.length > 0 || Object.keys(query).length > 0
    return { json: { total_count: total, ...(isFiltered && { filtered_count: filtered }) } }
  }),

  'feature.conversion': retryOnSchemaChange(
    async ({ context, params: { id }, query: { field, datatype } }) => {
      if (field === undefined || datatype === undefined)
        throw problem('request/invalid', 'The parameters field and datatype are required.')
      const { layer, database } = await openLayer(context, id)
      const found = layer.fields.find(({ keyname }) => keyname === field)
      if (found === undefined) throw problem('request/invalid', `The layer has no field "${field}".`)
      if (isForeign(layer))
        throw problem('request/invalid', 'Fields of layers of a connection are not converted.')
      const { tableName } = layer
      const count =
        tableName === null ? 0 : await countUnconvertible(database, { tableName, field: found, datatype })
      return { json: { count } }
    },
  ),

  'feature.digest': retryOnSchemaChange((request) => listDigests(request)),

  'feature.extensions': retryOnSchemaChange((request) => listExtensions(request)),

  'layer.extent': retryOnSchemaChange(async ({ context, params, query, more }) => {
    const raster = (await findRasters(context.database, [params.id])).get(params.id)
    if (raster !== undefined) return { json: { extent: extentObject(rasterExtent(raster)) } }
    const extent = await readExtent(context, params.id, readFilter({ query, more }))
    return { json: { extent: extentObject(extent) } }
  }),

  'feature.extent': retryOnSchemaChange(async ({ context, params, query, more }) => {
    return { json: extentObject(await readExtent(context, params.id, readFilter({ query, more }))) }
  }),

  'feature.item_extent': retryOnSchemaChange(async ({ context, params: { id, fid } }) => {
    checkFeatureId(id, fid)
    const { layer, database } = await openLayer(context, id)
    const extent = await findFeatureExtent(database, layer, fid)
    if (extent === undefined) throw featureNotFound(id, fid)
    return { json: { extent: extent === null ? null : extentObject(extent) } }
  }),

  'feature.identify': retryOnSchemaChange(async (request) => ({ json: await identify(request) })),
}

/**
 * Reverts the version of the data after a write that changed no value and no geometry. Descriptions and attachments do not count, as
 * when they are written by themselves, but the change is recorded.
 */
async function keepVersion(
  tx: Queryable,
  { caller }: Pick<LayerRequest, 'caller'>,
  { layer, effect }: { readonly layer: WritableLayer; readonly effect: WriteEffect },
): Promise<void> {
  if (effect === 'data' || isForeign(layer)) return
  await untouchLayer(tx, layer.resourceId)
  if (effect === 'extensions') await recordDataChange(tx, { ids: [layer.resourceId] }, caller.id)
}

/** Refuses idempotency keys for foreign tables, whose transactions do not include the table of keys. */
function checkKey({ idempotency }: Pick<ApiRequest, 'idempotency'>, layer: WritableLayer): void {
  if (idempotency.isKeyed && isForeign(layer))
    throw problem(
      'request/invalid',
      `Header ${keyHeader} is not supported for features of another database.`,
      {
        data: { location: ['header', keyHeader] },
      },
    )
}

async function listFeatures(
  request: Pick<ApiRequest<'feature.list'>, 'context' | 'params' | 'query' | 'more' | 'body' | 'signal'>,
): Promise<Answer> {
  const { context, params, signal } = request
  const { temporaryFolder: folder } = context
  const { layer, database } = await openLayer(context, params.id)
  const selection = await readSelection(database, layer, request)
  const page = openPage({ database, layer }, context.layerCaches.pageMarks, selection)
  const write = (part: PartSelection) => listStatement(layer, { ...selection, ...part, mark: page?.mark })
  // A list in another order or with an offset cannot be split into several statements.
  const isById = selection.orderBy.every((name) => name === 'id') && !selection.offset
  const statements = isById ? splitReading({ layer, database }, selection, write) : [write(selection)]
  const onFirst = page?.learn
  const stream = await streamRows({
    database,
    statements,
    most: selection.limit,
    folder,
    signal,
    onFirst,
  }).catch(rethrow)
  return { stream, mediaType: json }
}

async function listDigests({
  context,
  params,
  query,
  signal,
}: Pick<ApiRequest<'feature.digest'>, 'context' | 'params' | 'query' | 'signal'>): Promise<Answer> {
  const { layer, database } = await openLayer(context, params.id)
  const key = readFieldNames(layer, 'key', query.key) ?? []
  if (key.length === 0)
    throw problem('request/invalid', 'Parameter "key" is required.', {
      data: { location: ['query', 'key'] },
    })
  const fields = readFieldNames(layer, 'fields', query.fields) ?? layer.fields
  const selection = { filter: {}, key, fields }
  const statements = splitReading({ layer, database }, selection, (part) =>
    digestStatement(layer, { ...selection, ...part }),
  )
  const { temporaryFolder: folder } = context
  return { stream: await streamRows({ database, statements, folder, signal }), mediaType: json }
}

async function listExtensions({
  context,
  params,
  query,
  signal,
}: Pick<ApiRequest<'feature.extensions'>, 'context' | 'params' | 'query' | 'signal'>): Promise<Answer> {
  const { layer, database } = await openLayer(context, params.id)
  const [key] = readFieldNames(layer, 'key', query.key === undefined ? [] : [query.key]) ?? []
  // Features in external databases, and those of layers without a table, have no extensions.
  if (isForeign(layer) || layer.tableName === null) return { json: [] }
  const statements = [extensionsStatement(layer, key)]
  const { temporaryFolder: folder } = context
  return { stream: await streamRows({ database, statements, folder, signal }), mediaType: json }
}

async function deleteListed(request: LayerRequest, ids: readonly number[]): Promise<void> {
  await writeLayer(request, async (tx, layer) => {
    const found = await deleteFeatures(tx, layer, ids.filter(Number.isSafeInteger))
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) throw featureNotFound(layer.resourceId, missing)
    await keepVersion(tx, request, { layer, effect: found.size > 0 ? 'data' : 'nothing' })
  })
}

function readIds(body: unknown): number[] {
  if (!Array.isArray(body)) throw problem('request/invalid', 'Expected a list of {"id": integer} - at $')
  if (body.length > maxFeatures)
    throw invalidAt('', `the list has ${body.length} items; the limit is ${maxFeatures}`)
  return body.map((item: unknown, at) => {
    const id = typeof item === 'object' && item !== null && 'id' in item ? item.id : undefined
    if (typeof id === 'number' && Number.isInteger(id)) return id
    throw problem('request/invalid', `Expected a list of {"id": integer} - at $.${at}`)
  })
}

// Geometries may lie outside the area of the requested reference system.
function rethrow(error: unknown): never {
  throw geometryProblem(error)
}

function extentObject(extent: Bbox | undefined) {
  const [minLon, minLat, maxLon, maxLat] = extent ?? [null, null, null, null]
  return { minLat, maxLat, minLon, maxLon }
}
