import type { Representation } from '../contract/bodies.ts'
import { vectorLayer } from '../contract/classes/vector_layer.ts'
import { notesOf, type WireImportReport } from '../contract/import_report.ts'
import { findManager, findSource, markerKeys } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import type { Upload } from '../contract/resource.ts'
import { defaultLossFuse } from '../transfer/data_loss.ts'
import { packSource } from '../transfer/pack.ts'
import { loadTimeoutMs } from '../transfer/prepare_source.ts'
import { uploadFile } from '../transfer/upload_file.ts'
import type { PartsOptions } from '../transfer/upload_in_parts.ts'
import { watchLoad } from '../transfer/watch_load.ts'
import { exchangeFeatures } from './exchange_features.ts'
import { type RunContext, startStep } from './run_context.ts'
import { countFeatures } from './target_layer.ts'

/** A file that is to become the data of a layer. */
export interface FileLoad {
  /** Path on this machine. What belongs to the file is packed with it. */
  readonly path: string
  /** How the file is read: members of the class. */
  readonly reading: Readonly<Record<string, unknown>>
  /** Encoding of texts, for formats that do not say. */
  readonly encoding?: string | undefined
  readonly parts?: PartsOptions | undefined
}

/** A layer that is to be made. */
export interface NewLayer {
  readonly parent: number
  readonly displayName: string
  readonly keyname?: string | undefined
}

/** What a load came to. */
export interface FileLoaded {
  readonly id: number
  /** Features the layer had; undefined of a new one. */
  readonly before?: number
  /** Features of the layer now. */
  readonly count: number
  /** What became of the file; some servers do not tell. */
  readonly report?: WireImportReport | undefined
  /** What people should know of it, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Makes a layer of a file.
 *
 * @throws {Problem} file/*, source/*, resource/*, and what else the server refuses; then there is no layer
 */
export async function createFromFile(
  load: FileLoad,
  { parent, displayName, keyname }: NewLayer,
  context: RunContext,
): Promise<FileLoaded> {
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
export interface StandingLayer {
  readonly layer: Representation<'vector_layer'>
  /** Whether it may lose features and fields. */
  readonly allowLoss: boolean
  /** Whether data are replaced that a manifest manages. */
  readonly take: boolean
}

/**
 * Puts the features of a file in the place of those of a layer, at once or not at all.
 *
 * @throws {Problem} file/*, source/*, data/managed, data/loss; the layer is then as it was
 */
export async function replaceWithFile(
  load: FileLoad,
  { layer, allowLoss, take }: StandingLayer,
  context: RunContext,
): Promise<FileLoaded> {
  const { id, keyname, display_name } = layer.resource
  const name = keyname ?? display_name ?? String(id)
  if (!take) refuseManaged(name, layer, load)
  const upload = await sendFile(load, name, context)
  const target = { id, keyname: name, dataVersion: layer.vector_layer?.data_version }
  const hint = 'Check the file. If the loss is intended: --allow-loss.'
  const limits = allowLoss ? undefined : { fuse: defaultLossFuse, hint }
  const done = await exchangeFeatures({ layer: target, upload, reading: load.reading, limits }, context)
  return { id, ...done, notes: [...done.notes, ...(await tellFields(layer, context))] }
}

/** A manifest that manages a layer would undo the load, or the load what the manifest has made. */
function refuseManaged(
  name: string,
  { resource, resmeta }: Representation<'vector_layer'>,
  { reading }: FileLoad,
): void {
  const manager = findManager(resmeta?.items?.[markerKeys.manager])
  if (manager === undefined || manager.id !== resource.id) return
  // Features of a layer that nothing loads its data into belong to those who edit them.
  const isLoaded = findSource(resmeta?.items?.[markerKeys.source]) !== undefined
  if (!isLoaded && reading.keep_fields === true) return
  const { manifest } = manager
  const what = isLoaded ? 'data and fields' : 'fields'
  const advice = isLoaded
    ? 'Change the source in the manifest and apply it.'
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
  const source = await packSource(load.path, signal)
  try {
    const { upload } = await uploadFile(api, {
      path: source.path,
      signal,
      parts: load.parts,
      ...(source.packed.length > 0 ? { packedFrom: source.packed } : {}),
      onProgress: (read, total) => step.progress(0, { read, total }),
    })
    step.done()
    return load.encoding === undefined ? upload : { ...upload, encoding: load.encoding }
  } finally {
    await source.remove()
  }
}

/** Fields of the layer come from the file: what came and went with it is said. */
async function tellFields(
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
  const gone = old.filter((name) => !now.includes(name))
  const come = now.filter((name) => !old.includes(name))
  return [
    ...(gone.length > 0 ? [`Fields removed because the file does not have them: ${gone.join(', ')}.`] : []),
    ...(come.length > 0 ? [`The layer has new fields: ${come.join(', ')}.`] : []),
  ]
}
