import { problem } from '../../contract/problems.ts'
import type { batchRoutes } from '../../contract/routes/batch.ts'
import type { Queryable } from '../../database/database.ts'
import type { Staged } from '../../import/stage_source.ts'
import { readReplacedData } from '../../store/layer/replaced_data.ts'
import { dropStaging } from '../../store/layer/staging_table.ts'
import { findLayers } from '../../store/layer/stored_layer.ts'
import { deletePreparedRaster, findPreparedRaster } from '../../store/upload/prepared_raster.ts'
import { findPreparedSource, insertPreparedSource } from '../../store/upload/prepared_source.ts'
import { runBatch } from '../batch/batch.ts'
import { readPreparation } from '../batch/preparation.ts'
import { encodeReport } from '../classes/import_report.ts'
import { prepareSource } from '../classes/vector_layer_source.ts'
import type { ApiRequest, Handlers } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { parseCls } from '../resource/read_members.ts'
import { preparePicture } from '../upload/prepare_raster.ts'

/** Batches, and what is got ready for them. */
export const batchHandlers: Handlers<keyof typeof batchRoutes> = {
  'resource.batch': async (request) => {
    const keep = (tx: Queryable, results: unknown) => request.once.keep(tx, { results })
    return { json: { results: await runBatch(request, request.body.operations, keep) } }
  },

  'source.prepare': async (request) => {
    const { context, caller, body, signal } = request
    const cls = parseCls(body.cls)
    if (cls === 'raster_layer') return { json: await preparePicture(request) }
    if (cls !== 'vector_layer')
      throw invalidAt('/cls', `sources are prepared for vector and raster layers, not for ${body.cls}`)
    const members = await readPreparation(request, cls)
    const made = await prepareSource({ context, caller, id: body.id, members, signal })
    if (made === undefined) throw invalidAt('/vector_layer/source', 'missing field "source"')
    try {
      return { json: await keep(request, made.staged) }
    } catch (error) {
      await made.discard()
      throw error
    }
  },

  'source.discard': async ({ context: { database }, caller, params }) => {
    const wanted = { id: params.uid, userId: caller.id }
    const [features, picture] = [
      await findPreparedSource(database, wanted),
      await findPreparedRaster(database, wanted),
    ]
    if (features === undefined && picture === undefined)
      throw problem('source/not-prepared', `there is no prepared source "${params.uid}"`)
    if (features !== undefined) await dropStaging(database, features.tableName)
    if (picture !== undefined) await deletePreparedRaster(database, picture.id)
    return { json: {} }
  },
}

async function keep(request: ApiRequest<'source.prepare'>, staged: Staged) {
  const { context, caller, body, once } = request
  const { discard: _, tableName, ...rest } = staged
  const prepared = { userId: caller.id, layerId: body.id ?? null, tableName, staged: rest }
  const replaces = await describeReplaced(request, staged)
  return context.database.transaction(async (tx) => {
    const answer = { ...preparedAnswer(await insertPreparedSource(tx, prepared), staged), ...replaces }
    await once.keep(tx, answer)
    return answer
  })
}

function preparedAnswer(id: string, staged: Staged) {
  const { count, badCount } = staged.report
  return {
    id,
    feature_count: count,
    bad_count: badCount,
    fields: staged.fields.map(({ keyname, datatype, displayName = keyname }) => ({
      keyname,
      datatype,
      display_name: displayName,
    })),
    report: encodeReport(staged.report),
  }
}

async function describeReplaced({ context, body }: ApiRequest<'source.prepare'>, staged: Staged) {
  const { id } = body
  const layer = id === undefined ? undefined : (await findLayers(context.database, [id])).get(id)
  if (layer === undefined) return {}
  const { featureCount, dataVersion, lostFields, lost } = await readReplacedData(
    context.database,
    layer,
    staged,
  )
  const replaces = {
    feature_count: featureCount,
    data_version: dataVersion,
    lost_fields: lostFields.map(({ keyname, valueCount }) => ({ keyname, value_count: valueCount })),
    lost_attachments: lost.attachments,
    lost_descriptions: lost.descriptions,
  }
  return { replaces }
}
