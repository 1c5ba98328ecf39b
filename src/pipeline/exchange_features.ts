import { supportsRoute } from '../api/detect_server.ts'
import { notesOf, type WireImportReport } from '../contract/import_report.ts'
import { formatSource, markerKeys, type SourceMarker } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import type { Upload } from '../contract/resource.ts'
import { countOf } from '../core/count.ts'
import {
  blindLoadProblem,
  type DataChange,
  dataChangeOf,
  type LossLimits,
  refuseDataLoss,
} from '../transfer/data_loss.ts'
import { discardSource, loadTimeoutMs } from '../transfer/prepare_source.ts'
import { sendWithRetries } from '../transfer/retry_request.ts'
import { watchLoad } from '../transfer/watch_load.ts'
import { type RunContext, startStep } from './run_context.ts'
import { countFeatures, type TargetLayer } from './target_layer.ts'

/** Features of an upload that are to take the place of those of a layer. */
export interface Exchange {
  readonly layer: Pick<TargetLayer, 'id' | 'keyname' | 'dataVersion'>
  readonly upload: Upload
  /** What the upload was made of, for the marker on the layer; none is written where absent. */
  readonly source?: Omit<SourceMarker, 'version'>
  /** How the upload is read: members of the class. */
  readonly reading: Readonly<Record<string, unknown>>
  /** Rows that were sent; undefined where only the server can count them. */
  readonly sent?: number | undefined
  /** Fields of the layer that the upload does not have, as far as they are known here. */
  readonly absentFields?: readonly string[]
  /** What the layer may lose; anything where absent. */
  readonly limits?: LossLimits | undefined
}

/** What an exchange came to. */
export interface Exchanged {
  /** Features the layer had. */
  readonly before: number
  /** Features the layer has now. */
  readonly count: number
  /** What became of the upload; servers that prepare no sources do not tell. */
  readonly report?: WireImportReport
  /** What people should know of it, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Replaces the features of a layer, at once or not at all. Servers that prepare sources tell what would be lost before
 * anything has changed; of others, only the number of rows that were sent is known then.
 *
 * @throws {Problem} data/loss; pipeline/counts where other rows arrived than were sent
 */
export async function exchangeFeatures(exchange: Exchange, context: RunContext): Promise<Exchanged> {
  const { api, signal } = context
  const { layer } = exchange
  const step = startStep(context, 'load', layer.keyname)
  const prepares = await supportsRoute(api, 'source.prepare', signal)
  const watched = { uid: exchange.upload.id, signal, onProgress: step.loading }
  const work = prepares ? exchangePrepared(exchange, context) : exchangeUpload(exchange, context)
  const { before, report } = await watchLoad(api, watched, work)
  const count = await countFeatures(api, layer.id, signal)
  checkArrived(exchange, count)
  step.done()
  return { before, count, ...(report === undefined ? { notes: [] } : { report, notes: notesOf(report) }) }
}

/** All rows that were sent have to be there. */
function checkArrived({ sent, layer }: Exchange, count: number): void {
  if (sent === undefined || sent === count) return
  throw problem('pipeline/counts', `${countOf(sent, 'row')} sent to "${layer.keyname}", ${count} arrived.`, {
    resource: layer.id,
    data: { sent, arrived: count },
  })
}

function checkLoss({ layer, limits }: Exchange, change: DataChange): void {
  if (limits !== undefined) refuseDataLoss(layer.keyname, change, limits)
}

type Replaced = Pick<Exchanged, 'before' | 'report'>

async function exchangePrepared(exchange: Exchange, context: RunContext): Promise<Replaced> {
  const { layer, upload, reading } = exchange
  const { api, signal } = context
  const body = { cls: 'vector_layer', id: layer.id, vector_layer: { ...reading, source: upload } }
  // What was prepared for an answer that was lost is forgotten after a day.
  const answer = await sendWithRetries(
    () => api.call('source.prepare', { body, signal, timeoutMs: loadTimeoutMs }),
    { signal },
  )
  try {
    const { id, feature_count: count = 0, report } = answer
    const change = dataChangeOf(answer) ?? (await changeOf(exchange, count, context))
    checkArrived(exchange, count)
    checkLoss(exchange, change)
    await replace(exchange, { source: { prepared: id } }, context)
    return { before: change.before, ...(report === undefined ? {} : { report }) }
  } catch (error) {
    // What is not forgotten now goes by itself after a day.
    await discardSource(api, answer.id).catch(() => undefined)
    throw error
  }
}

async function exchangeUpload(exchange: Exchange, context: RunContext): Promise<Replaced> {
  const { layer, limits, sent, reading, upload } = exchange
  const { before, ...rest } = await changeOf(exchange, sent ?? 0, context)
  if (sent !== undefined) checkLoss(exchange, { before, ...rest })
  else if (limits !== undefined && before > 0) throw blindLoadProblem(layer.keyname, before, limits.hint)
  const report = await replace(exchange, { ...reading, source: upload }, context)
  return { before, ...(report === undefined ? {} : { report }) }
}

/** What is known of a change without the help of the server. */
async function changeOf(
  { layer, absentFields = [] }: Exchange,
  after: number,
  { api, signal }: RunContext,
): Promise<DataChange> {
  const before = await countFeatures(api, layer.id, signal)
  const lostFields = absentFields.map((keyname) => ({ keyname, valueCount: undefined }))
  return { before, after, lostFields, lostAttachments: 0, lostDescriptions: 0 }
}

async function replace(
  { layer, source }: Exchange,
  own: object,
  { api, signal }: RunContext,
): Promise<WireImportReport | undefined> {
  const changed = await api.call('resource.update', {
    params: { id: layer.id },
    body: { vector_layer: own, ...markerOf(layer, source) },
    signal,
    timeoutMs: loadTimeoutMs,
  })
  // The original answers with null.
  return (changed as typeof changed | null)?.report
}

function markerOf({ dataVersion = 0 }: Exchange['layer'], source: Exchange['source']): object {
  if (source === undefined) return {}
  const marker = formatSource({ ...source, version: dataVersion + 1 })
  return { resmeta: { items: { [markerKeys.source]: marker } } }
}
