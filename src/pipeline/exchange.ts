import { offers } from '../api/server.ts'
import { notesOf } from '../contract/import_report.ts'
import { formatSource, markerKeys } from '../contract/markers.ts'
import type { Upload } from '../contract/resource.ts'
import { tryAgain } from '../transfer/again.ts'
import { discardSource, loadTimeoutMs } from '../transfer/prepare.ts'
import { type RunContext, startStep } from './context.ts'
import { countFeatures, type TargetLayer } from './layer.ts'

/** Features of an upload that are to take the place of those of a layer. */
export interface Exchange {
  readonly layer: TargetLayer
  readonly upload: Upload
  /** What the upload was made of, for the marker on the layer. */
  readonly digest: string
  /** Layer of the file, where it has several. */
  readonly sourceLayer?: string | undefined
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
  const notes = prepares ? await exchangePrepared(exchange, context) : await exchangeUpload(exchange, context)
  const count = await countFeatures(api, layer.id, signal)
  await check(count)
  step.done()
  return { count, notes }
}

async function exchangePrepared(exchange: Exchange, context: RunContext): Promise<readonly string[]> {
  const { layer, upload, check } = exchange
  const { api, signal } = context
  const body = { cls: 'vector_layer', id: layer.id, vector_layer: { ...readingOf(exchange), source: upload } }
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
  return report === undefined ? [] : notesOf(report)
}

async function exchangeUpload(exchange: Exchange, context: RunContext): Promise<readonly string[]> {
  await replace(exchange, { ...readingOf(exchange), source: exchange.upload }, context)
  return []
}

function readingOf({ layer, sourceLayer }: Exchange) {
  return {
    keep_fields: layer.fields.length > 0,
    ...(sourceLayer === undefined ? {} : { source_layer: sourceLayer }),
  }
}

async function replace({ layer, digest }: Exchange, own: object, { api, signal }: RunContext): Promise<void> {
  const marker = formatSource({ digest, version: (layer.dataVersion ?? 0) + 1 })
  await api.call('resource.update', {
    params: { id: layer.id },
    body: { vector_layer: own, resmeta: { items: { [markerKeys.source]: marker } } },
    signal,
    timeoutMs: loadTimeoutMs,
  })
}
