import { offers } from '../api/server.ts'
import { notesOf, type WireImportReport } from '../contract/import_report.ts'
import { formatSource, markerKeys, type SourceMarker } from '../contract/markers.ts'
import type { Upload } from '../contract/resource.ts'
import { tryAgain } from '../transfer/again.ts'
import { discardSource, loadTimeoutMs } from '../transfer/prepare.ts'
import { watchLoad } from '../transfer/watch_load.ts'
import { type RunContext, startStep } from './context.ts'
import { countFeatures, type TargetLayer } from './layer.ts'

/** Features of an upload that are to take the place of those of a layer. */
export interface Exchange {
  readonly layer: Pick<TargetLayer, 'id' | 'keyname' | 'dataVersion'>
  readonly upload: Upload
  /** What the upload was made of, for the marker on the layer; none is written where absent. */
  readonly source?: Omit<SourceMarker, 'version'>
  /** How the upload is read: members of the class. */
  readonly reading: Readonly<Record<string, unknown>>
  /**
   * Looks at how many features there are going to be.
   *
   * @throws {Problem} where that is wrong
   */
  readonly check: (count: number) => Promise<void>
}

/** What an exchange came to. */
export interface Exchanged {
  /** Features the layer has now. */
  readonly count: number
  /** What became of the upload; servers that prepare no sources do not tell. */
  readonly report?: WireImportReport
  /** What people should know of it, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Replaces the features of a layer, at once or not at all. Servers that prepare sources tell the count before anything
 * has changed; others are asked for it afterwards.
 */
export async function exchangeFeatures(exchange: Exchange, context: RunContext): Promise<Exchanged> {
  const { api, signal } = context
  const { layer, check } = exchange
  const step = startStep(context, 'load', layer.keyname)
  const prepares = await offers(api, 'source.prepare', signal)
  const watched = { uid: exchange.upload.id, signal, onProgress: step.loading }
  const work = prepares ? exchangePrepared(exchange, context) : exchangeUpload(exchange, context)
  const report = await watchLoad(api, watched, work)
  const count = await countFeatures(api, layer.id, signal)
  await check(count)
  step.done()
  return report === undefined ? { count, notes: [] } : { count, report, notes: notesOf(report) }
}

async function exchangePrepared(
  exchange: Exchange,
  context: RunContext,
): Promise<WireImportReport | undefined> {
  const { layer, upload, reading, check } = exchange
  const { api, signal } = context
  const body = { cls: 'vector_layer', id: layer.id, vector_layer: { ...reading, source: upload } }
  // What was prepared for an answer that was lost is forgotten after a day.
  const {
    id,
    feature_count = 0,
    report,
  } = await tryAgain(() => api.call('source.prepare', { body, signal, timeoutMs: loadTimeoutMs }), { signal })
  try {
    await check(feature_count)
    await replace(exchange, { source: { prepared: id } }, context)
  } catch (error) {
    // What is not forgotten now goes by itself after a day.
    await discardSource(api, id).catch(() => undefined)
    throw error
  }
  return report
}

async function exchangeUpload(
  exchange: Exchange,
  context: RunContext,
): Promise<WireImportReport | undefined> {
  return replace(exchange, { ...exchange.reading, source: exchange.upload }, context)
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
