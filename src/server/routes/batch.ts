import { problem } from '../../contract/problems.ts'
import type { Members } from '../../contract/registry.ts'
import type { batchRoutes } from '../../contract/routes/batch.ts'
import type { Staged } from '../../import/stage.ts'
import { findPrepared, keepPrepared } from '../../store/prepared_source.ts'
import { findResourcePlace } from '../../store/resource_class.ts'
import { dropStaging } from '../../store/staging.ts'
import { runBatch } from '../batch/batch.ts'
import { prepareSource } from '../behaviours/vector_layer_source.ts'
import type { ApiRequest, Handlers } from '../handler.ts'
import { encodeReport } from '../import_report.ts'
import { invalidAt } from '../invalid.ts'
import { checkMask, notFound, requirePermission } from '../permit.ts'
import { parseCls, readMembers } from '../resource/body.ts'
import { classMembers } from '../resource/write.ts'

/** Batches, and what is got ready for them. */
export const batchHandlers: Handlers<keyof typeof batchRoutes> = {
  'resource.batch': async (request) => ({
    json: { results: await runBatch(request, request.body.operations) },
  }),

  'source.prepare': async (request) => {
    const { context, caller, body, signal } = request
    if (caller.isGuest)
      throw problem('access/denied', 'Preparing a source needs a user: guests have nothing kept for them.')
    if (parseCls(body.cls) !== 'vector_layer')
      throw invalidAt('/cls', `sources are prepared for vector layers, not for ${body.cls}`)
    if (body.id !== undefined) await checkLayer(request, body.id)
    const members = readOwn(body)
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
    const found = await findPrepared(database, { id: params.uid, userId: caller.id })
    if (found === undefined)
      throw problem('source/not-prepared', `there is no prepared source "${params.uid}"`)
    await dropStaging(database, found.tableName)
    return { json: {} }
  },
}

function readOwn(body: ApiRequest<'source.prepare'>['body']): Members<'vector_layer'> {
  const { vector_layer: own } = body
  if ((own.source as { prepared?: unknown } | undefined)?.prepared !== undefined)
    throw invalidAt('/vector_layer/source/prepared', 'what is prepared is not prepared again')
  const { written, fault } = readMembers('vector_layer', 'update', { vector_layer: own })
  if (fault !== undefined) throw fault
  return classMembers('vector_layer', written)
}

/** Data of a layer are replaced by who may write them only. */
async function checkLayer({ context, caller }: ApiRequest, id: number): Promise<void> {
  const place = await findResourcePlace(context.database, id)
  if (place === undefined) throw notFound(id)
  const masks = await requirePermission(context, caller, { ids: [id], permission: 'resource.read' })
  if (place.cls !== 'vector_layer') throw invalidAt('/id', `resource ${id} is a ${place.cls}`)
  checkMask(masks.get(id), id, 'data.write')
}

async function keep({ context, caller, body }: ApiRequest<'source.prepare'>, staged: Staged) {
  const { discard: _, tableName, ...rest } = staged
  const id = await keepPrepared(context.database, {
    userId: caller.id,
    layerId: body.id ?? null,
    tableName,
    staged: rest,
  })
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
