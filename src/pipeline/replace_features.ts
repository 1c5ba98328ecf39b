import { supportsRoute } from '../api/detect_server.ts'
import { countExtensions, readExtensions } from '../api/read_extensions.ts'
import { notesOf, type WireImportReport } from '../contract/bodies/import_report.ts'
import type { Upload } from '../contract/bodies/resource.ts'
import { formatSource, markerKeys, type SourceMarker } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import { countOf, showNumber } from '../core/count.ts'
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

/** Replacement of the features of a layer by those of an upload. */
export interface Replacement {
  readonly layer: Pick<TargetLayer, 'id' | 'keyname' | 'dataVersion'>
  readonly upload: Upload
  /** Source of the upload, written to the marker of the layer; without it no marker is written. */
  readonly source?: Omit<SourceMarker, 'version'>
  /** Load options: members of the class. */
  readonly reading: Readonly<Record<string, unknown>>
  /** Number of rows sent; undefined if only the server can count them. */
  readonly sent?: number | undefined
  /** Fields of the layer that are missing from the upload, as far as the client knows. */
  readonly absentFields?: readonly string[]
  /** Limits of the data loss; unlimited if absent. */
  readonly limits?: LossLimits | undefined
}

/** Result of a replacement. */
export interface ReplacementResult {
  /** Number of features before the replacement. */
  readonly before: number
  /** Number of features after the replacement. */
  readonly count: number
  /** Import report; absent if the server does not support prepared sources. */
  readonly report?: WireImportReport
  /** Remarks on the load for the user, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Replaces the features of a layer atomically. Servers that support prepared sources report the loss before any change;
 * for other servers it is estimated from the number of rows sent.
 *
 * @throws {Problem} data/loss; pipeline/counts if the server has not received as many rows as were sent
 */
export async function replaceFeatures(
  replacement: Replacement,
  context: RunContext,
): Promise<ReplacementResult> {
  const { api, signal } = context
  const { layer } = replacement
  const step = startStep(context, 'load', layer.keyname)
  const prepares = await supportsRoute(api, 'source.prepare', signal)
  const watched = { uid: replacement.upload.id, signal, onProgress: step.loading }
  const work = prepares ? replaceFromPrepared(replacement, context) : replaceFromUpload(replacement, context)
  const { before, report } = await watchLoad(api, watched, work)
  const count = await countFeatures(api, layer.id, signal)
  checkArrived(replacement, count)
  step.done()
  return { before, count, ...(report === undefined ? { notes: [] } : { report, notes: notesOf(report) }) }
}

/** Checks that the server has received all rows. */
function checkArrived({ sent, layer }: Replacement, count: number): void {
  if (sent === undefined || sent === count) return
  throw problem(
    'pipeline/counts',
    `${countOf(sent, 'row')} sent to "${layer.keyname}", but ${showNumber(count)} received.`,
    {
      resource: layer.id,
      data: { sent, arrived: count },
    },
  )
}

function checkLoss({ layer, limits }: Replacement, change: DataChange): void {
  if (limits !== undefined) refuseDataLoss(layer.keyname, change, limits)
}

type LayerChange = Pick<ReplacementResult, 'before' | 'report'>

async function replaceFromPrepared(replacement: Replacement, context: RunContext): Promise<LayerChange> {
  const { layer, upload, reading } = replacement
  const { api, signal } = context
  const body = { cls: 'vector_layer', id: layer.id, vector_layer: { ...reading, source: upload } }
  // A source whose response was lost expires after a day.
  const answer = await sendWithRetries(
    () => api.call('source.prepare', { body, signal, timeoutMs: loadTimeoutMs }),
    { signal },
  )
  try {
    const { id, feature_count: count = 0, report } = answer
    const change = dataChangeOf(answer) ?? (await changeOf(replacement, count, context))
    checkArrived(replacement, count)
    checkLoss(replacement, change)
    await updateLayer(replacement, { source: { prepared: id } }, context)
    return { before: change.before, ...(report === undefined ? {} : { report }) }
  } catch (error) {
    // If this fails, the source expires after a day.
    await discardSource(api, answer.id).catch(() => undefined)
    throw error
  }
}

async function replaceFromUpload(replacement: Replacement, context: RunContext): Promise<LayerChange> {
  const { layer, limits, sent, reading, upload } = replacement
  const { before, ...rest } = await changeOf(replacement, sent ?? 0, context)
  if (sent !== undefined) checkLoss(replacement, { before, ...rest })
  else if (limits !== undefined && before > 0) throw blindLoadProblem(layer.keyname, before, limits.hint)
  const report = await updateLayer(replacement, { ...reading, source: upload }, context)
  return { before, ...(report === undefined ? {} : { report }) }
}

/** Determines the data change from what the client knows, without a prepared source. */
async function changeOf(
  { layer, absentFields = [] }: Replacement,
  after: number,
  { api, signal }: RunContext,
): Promise<DataChange> {
  const before = await countFeatures(api, layer.id, signal)
  const lostFields = absentFields.map((keyname) => ({ keyname, valueCount: undefined }))
  const there = (await readExtensions(api, { id: layer.id }, signal)) ?? []
  const { attachments: lostAttachments, descriptions: lostDescriptions } = countExtensions(there)
  return { before, after, lostFields, lostAttachments, lostDescriptions }
}

async function updateLayer(
  { layer, source }: Replacement,
  own: object,
  { api, signal }: RunContext,
): Promise<WireImportReport | undefined> {
  const changed = await api.call('resource.update', {
    params: { id: layer.id },
    body: { vector_layer: own, ...markerOf(layer, source) },
    signal,
    timeoutMs: loadTimeoutMs,
  })
  // NextGIS Web returns null.
  return (changed as typeof changed | null)?.report
}

function markerOf({ dataVersion = 0 }: Replacement['layer'], source: Replacement['source']): object {
  if (source === undefined) return {}
  const marker = formatSource({ ...source, version: dataVersion + 1 })
  return { resmeta: { items: { [markerKeys.source]: marker } } }
}
