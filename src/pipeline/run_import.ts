import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { Upload } from '../contract/bodies/resource.ts'
import { loadTimeoutMs } from '../transfer/prepare_source.ts'
import { encodedUpload, nameEncoding, placeEncoding } from '../transfer/source_encoding.ts'
import { digestFile, type FileDigest, uploadFile } from '../transfer/upload_file.ts'
import { checkTable, type Import, type Transfer } from './check_table.ts'
import { type ImportPipeline, isTable } from './pipeline_schema.ts'
import { openQuarantine, type Quarantine } from './quarantine.ts'
import { replaceFeatures } from './replace_features.ts'
import { checkRows, limitsOf, quarantineReport } from './row_limits.ts'
import { type RunContext, startStep } from './run_context.ts'
import type { LayerReport, RunResult } from './run_event.ts'
import { runSync } from './run_sync.ts'
import { countFeatures, getLayer, refuseManifestData, type TargetLayer } from './target_layer.ts'

/** An uploaded source, with the results of reading and checking it. */
interface UploadedSource {
  readonly upload: Upload
  /** Number of rows read; undefined if only the server can count them. */
  readonly read: number | undefined
  readonly quarantine: Quarantine
  /** Fields of the layer that are missing from the source; empty if only the server can read the source. */
  readonly absentFields: readonly string[]
}

/**
 * Loads a file into a layer: reads, checks and uploads it, then replaces the features of the layer atomically. Does
 * nothing if file, options and layer have not changed since the last load.
 *
 * @throws {Problem} data/managed, pipeline/quarantine, pipeline/rows and data/loss before any change; pipeline/counts
 */
export async function runImport(pipeline: Import, context: RunContext): Promise<RunResult> {
  const path = resolve(pipeline.folder, pipeline.from.file)
  const layer = await getLayer(context.api, pipeline.to.layer, context.signal)
  if (!context.take?.has(layer.keyname)) refuseManifestData(layer)
  const source = await digestFile(path, context.signal)
  const digest = digestOf(source, pipeline)
  if (!context.force && isUnchanged(layer, digest))
    return { outcome: 'unchanged', layers: [await reportUnchanged(pipeline, layer, context)] }
  if (pipeline.to.mode === 'sync') return runSync({ pipeline, path, layer, source, digest }, context)
  const transferred = isTable(pipeline.from)
    ? await transferTable({ pipeline, path, layer, source }, context)
    : await transferFile({ pipeline, path, layer, source }, context)
  const { read, quarantine, upload, absentFields } = transferred
  const rows = read === undefined ? {} : { rows: { read, quarantined: quarantine.count() } }
  const replacement = {
    layer,
    source: { digest, pipeline: true as const, ...rows },
    upload,
    reading: readingOf(pipeline, layer),
    sent: read === undefined ? undefined : read - quarantine.count(),
    absentFields,
    limits: limitsOf(pipeline, context),
  }
  const replaced = await replaceFeatures(replacement, context).catch((error: unknown) => {
    throw placeEncoding(error, 'from.encoding')
  })
  const { before, count: loaded } = replaced
  const notes = replaced.notes.map((note) => nameEncoding(note, 'from.encoding'))
  const report: LayerReport = {
    layer: layer.keyname,
    read: read ?? loaded,
    loaded,
    unchanged: 0,
    quarantined: quarantine.count(),
    before,
    digest,
    ...(layer.dataVersion === undefined ? {} : { dataVersion: layer.dataVersion + 1 }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(quarantine.count() === 0 ? {} : { quarantine: quarantineReport(quarantine) }),
  }
  return { outcome: 'loaded', layers: [report] }
}

function readingOf({ from: { source_layer } }: Import, { fields }: TargetLayer) {
  return { keep_fields: fields.length > 0, ...(source_layer === undefined ? {} : { source_layer }) }
}

/** Returns the digest of a source and of all options that affect its import. */
function digestOf({ sha256 }: FileDigest, { from, check, to }: ImportPipeline): string {
  return createHash('sha256')
    .update(
      JSON.stringify([
        sha256,
        { ...from, file: undefined },
        check ?? null,
        to.mode ?? 'replace',
        ...keyOf(to),
      ]),
    )
    .digest('hex')
}

const keyOf = ({ key }: ImportPipeline['to']) => (key === undefined ? [] : [key])

function isUnchanged({ source, dataVersion }: TargetLayer, digest: string): boolean {
  return source !== undefined && source.digest === digest && source.version === dataVersion
}

/** Reports the row counts of the run that loaded the layer, after checking them against the present limits. */
async function reportUnchanged(
  pipeline: Import,
  { id, keyname: layer, source, dataVersion }: TargetLayer,
  { api, signal }: RunContext,
): Promise<LayerReport> {
  const count = await countFeatures(api, id, signal)
  const { read, quarantined } = source?.rows ?? { read: count, quarantined: 0 }
  // A synchronization may have kept features of bad rows.
  const unchanged = pipeline.to.mode === 'sync' ? Math.min(count, read - quarantined) : count
  if (source?.rows !== undefined)
    checkRows(pipeline, { layer, read, quarantined, first: [], file: undefined })
  return {
    layer,
    read,
    loaded: 0,
    unchanged,
    quarantined,
    digest: source?.digest ?? '',
    ...(dataVersion === undefined ? {} : { dataVersion }),
  }
}

async function transferTable(transfer: Transfer, context: RunContext): Promise<UploadedSource> {
  const { sent, name, ...checked } = await checkTable(transfer, context, {
    step: 'read, check and upload',
    send: (name, bytes) => uploadTable(name, bytes, context),
  })
  return { ...checked, upload: { ...sent, name } }
}

function uploadTable(name: string, stream: AsyncIterable<Uint8Array>, { api, signal }: RunContext) {
  const disposition = `attachment; filename*=utf-8''${encodeURIComponent(name)}`
  return api.call('upload.raw', {
    stream,
    headers: { 'content-type': 'text/csv', 'content-disposition': disposition },
    signal,
    timeoutMs: loadTimeoutMs,
  })
}

async function transferFile(
  { pipeline, path, layer, source }: Transfer,
  context: RunContext,
): Promise<UploadedSource> {
  const step = startStep(context, 'upload', layer.keyname)
  const { upload } = await uploadFile(context.api, {
    path,
    signal: context.signal,
    onProgress: (sent) => step.progress(0, { read: sent, total: source.sizeBytes }),
  })
  step.done()
  const encoded = encodedUpload(upload, pipeline.from.encoding)
  return { upload: encoded, read: undefined, quarantine: openQuarantine(undefined), absentFields: [] }
}
