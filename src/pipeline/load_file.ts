import type { Representation } from '../contract/bodies/bodies.ts'
import { notesOf, type SkippedFeatures, type WireImportReport } from '../contract/bodies/import_report.ts'
import type { Upload } from '../contract/bodies/resource.ts'
import { vectorLayer } from '../contract/classes/vector_layer.ts'
import { findManifest, findSource, markerKeys } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import { defaultLossFuse, type LossLimits } from '../transfer/data_loss.ts'
import { uploadSource } from '../transfer/pack.ts'
import { loadTimeoutMs } from '../transfer/prepare_source.ts'
import { skippedOf } from '../transfer/read_source.ts'
import { encodedUpload } from '../transfer/source_encoding.ts'
import type { FeatureDifference } from '../transfer/sync/feature_difference.ts'
import { syncLayer } from '../transfer/sync/sync_layer.ts'
import type { PartsOptions } from '../transfer/upload_in_parts.ts'
import { watchLoad } from '../transfer/watch_load.ts'
import { replaceFeatures } from './replace_features.ts'
import { type RunContext, startStep } from './run_context.ts'
import { countFeatures } from './target_layer.ts'

/** A file to load into a layer. */
export interface FileLoad {
  /** Local path. Companion files are packed with it. */
  readonly path: string
  /** Load options: members of the class. */
  readonly reading: Readonly<Record<string, unknown>>
  /** Encoding of strings, for formats that do not declare it. */
  readonly encoding?: string | undefined
  readonly parts?: PartsOptions | undefined
}

/** Properties of a layer to create. */
export interface NewLayer {
  readonly parent: number
  readonly displayName: string
  readonly keyname?: string | undefined
}

/** Result of a load. */
export interface LoadResult {
  readonly id: number
  /** Number of features before the load; undefined for a new layer. */
  readonly before?: number
  /** Number of features after the load. */
  readonly count: number
  /** Import report, if the server provides one. */
  readonly report?: WireImportReport | undefined
  /** Invalid features that were skipped, if they are known. */
  readonly skipped?: SkippedFeatures | undefined
  /** Differences, if only the features that differ were changed. */
  readonly difference?: FeatureDifference
  /** Remarks on the load for the user, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Creates a layer from a file.
 *
 * @throws {Problem} file/*, source/*, resource/* and other errors of the server; the layer is not created then
 */
export async function createFromFile(
  load: FileLoad,
  { parent, displayName, keyname }: NewLayer,
  context: RunContext,
): Promise<LoadResult> {
  const { api, signal } = context
  const upload = await sendFile(load, displayName, context)
  const step = startStep(context, 'load', displayName)
  const making = api.call('resource.create', {
    body: {
      resource: {
        cls: 'vector_layer',
        parent: { id: parent },
        display_name: displayName,
        ...(keyname === undefined ? {} : { keyname }),
      },
      vector_layer: { ...load.reading, srs: { id: vectorLayer.data.srs }, source: upload },
    },
    signal,
    timeoutMs: loadTimeoutMs,
  })
  const watched = { uid: upload.id, signal, onProgress: step.loading }
  const { id, report } = await watchLoad(api, watched, making)
  const count = report?.feature_count ?? (await countFeatures(api, id, signal))
  step.done()
  return { id, count, report, notes: report === undefined ? [] : notesOf(report) }
}

/** A layer whose data are replaced. */
export interface ReplacedLayer {
  readonly layer: Representation<'vector_layer'>
  /** Whether the load may remove features and fields. */
  readonly allowLoss: boolean
  /** Whether to replace data that a manifest manages. */
  readonly take: boolean
  /** Keynames of the fields that identify a feature, to change only the features that differ. */
  readonly key?: readonly string[] | undefined
}

/**
 * Replaces the features of a layer with those of a file, atomically.
 *
 * @throws {Problem} file/*, source/*, data/managed, data/loss; the layer is unchanged then
 */
export async function replaceWithFile(
  load: FileLoad,
  { layer, allowLoss, take, key }: ReplacedLayer,
  context: RunContext,
): Promise<LoadResult> {
  const { id, keyname, display_name } = layer.resource
  const name = keyname ?? display_name ?? String(id)
  if (!take) refuseManaged(name, layer, load)
  const hint = 'Check the file. If the loss is intended: --allow-loss.'
  const limits = allowLoss ? undefined : { fuse: defaultLossFuse, hint }
  if (key !== undefined) return syncWithFile(load, { layer, key, limits }, context)
  const upload = await sendFile(load, name, context)
  const target = { id, keyname: name, dataVersion: layer.vector_layer?.data_version }
  const done = await replaceFeatures({ layer: target, upload, reading: load.reading, limits }, context)
  return { id, ...done, notes: [...done.notes, ...(await describeFieldChanges(layer, context))] }
}

interface FileSync {
  readonly layer: Representation<'vector_layer'>
  readonly key: readonly string[]
  readonly limits: LossLimits | undefined
}

/** Changes the features of a layer that differ from a file. */
async function syncWithFile(
  { path, reading, encoding }: FileLoad,
  { layer: { resource, vector_layer: own, feature_layer: member }, key, limits }: FileSync,
  context: RunContext,
): Promise<LoadResult> {
  const { id, keyname, display_name } = resource
  const name = keyname ?? display_name ?? String(id)
  const { geometry_type: geometryType, srs, data_version: dataVersion } = own ?? {}
  const { extensions_version: extensionsVersion } = own ?? {}
  if (geometryType === undefined || srs === undefined)
    throw problem('data/not-comparable', `The server cannot compare the features of "${name}".`)
  const step = startStep(context, 'compare and load', name)
  const options = { ...reading, ...(encoding === undefined ? {} : { encoding }) }
  const versions = { dataVersion, extensionsVersion }
  const layer = { id, name, geometryType, srs: srs.id, ...versions, fields: member?.fields ?? [] }
  const source = { path, options, signal: context.signal }
  const { change, difference, summary } = await syncLayer(
    context.api,
    { layer, source, key, limits },
    context.signal,
  )
  step.done()
  const skipped = summary.badCount === 0 ? {} : { skipped: skippedOf(summary) }
  return { id, before: change.before, count: change.after, difference, ...skipped, notes: summary.notes }
}

/** Refuses to load into a layer that a manifest manages, because manifest and load would undo each other. */
function refuseManaged(
  name: string,
  { resource, resmeta }: Representation<'vector_layer'>,
  { reading }: FileLoad,
): void {
  const manifest = findManifest(resource.id, resmeta?.items)
  if (manifest === undefined) return
  // The manifest manages only the fields, and the features are edited on the server.
  const source = findSource(resmeta?.items?.[markerKeys.source])
  const isLoaded = source !== undefined
  if (!isLoaded && reading.keep_fields === true) return
  const what = isLoaded ? 'data and fields' : 'fields'
  const advice = isLoaded
    ? `Change the source ${source.pipeline ? 'of the pipeline and run it' : 'in the manifest and apply it'}.`
    : 'Load into the fields of the layer with --keep-fields.'
  const message = `The ${what} of "${name}" are managed by the manifest "${manifest}". Nothing was loaded.`
  throw problem('data/managed', message, {
    hint: `${advice} To replace the data and fields anyway, use --take.`,
    resource: resource.id,
    data: { layer: name, manifest },
  })
}

async function sendFile(load: FileLoad, layer: string, context: RunContext): Promise<Upload> {
  const { api, signal } = context
  const step = startStep(context, 'upload', layer)
  const { upload } = await uploadSource(api, {
    path: load.path,
    signal,
    parts: load.parts,
    onProgress: (read, total) => step.progress(0, { read, total }),
  })
  step.done()
  return encodedUpload(upload, load.encoding)
}

/** Describes the fields that a load has removed from the layer or added to it. */
async function describeFieldChanges(
  { resource: { id }, feature_layer: before }: Representation<'vector_layer'>,
  { api, signal }: RunContext,
): Promise<string[]> {
  const after = (await api.call('resource.get', {
    params: { id },
    signal,
  })) as unknown as Representation<'vector_layer'>
  const [old, now] = [before, after.feature_layer].map((member) =>
    (member?.fields ?? []).map(({ keyname }) => keyname),
  ) as [string[], string[]]
  const removed = old.filter((name) => !now.includes(name))
  const added = now.filter((name) => !old.includes(name))
  return [
    ...(removed.length > 0
      ? [`Fields removed because the file does not have them: ${removed.join(', ')}.`]
      : []),
    ...(added.length > 0 ? [`The layer has new fields: ${added.join(', ')}.`] : []),
  ]
}
