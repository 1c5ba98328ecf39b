import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { problem } from '../contract/problems.ts'
import type { Upload } from '../contract/resource.ts'
import { countOf } from '../core/count.ts'
import type { Problem } from '../core/problem.ts'
import { defaultLossFuse, type LossLimits } from '../transfer/data_loss.ts'
import { loadTimeoutMs } from '../transfer/prepare_source.ts'
import { encodedUpload, nameEncoding, placeEncoding } from '../transfer/source_encoding.ts'
import { digestFile, type FileDigest, uploadFile } from '../transfer/upload_file.ts'
import { openCheckedTable } from './checked_table.ts'
import { type ImportPipeline, isTable, type Pipeline } from './pipeline_schema.ts'
import { type BadRow, openQuarantine, type Quarantine } from './quarantine.ts'
import { replaceFeatures } from './replace_features.ts'
import { type RunContext, startStep } from './run_context.ts'
import type { LayerReport, RunResult } from './run_event.ts'
import { countFeatures, getLayer, refuseManifestData, type TargetLayer } from './target_layer.ts'

type Import = Extract<Pipeline, { kind: 'import' }>

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

/** Returns the loss limits of a load. A minimum number of rows in the pipeline replaces the default limit. */
function limitsOf({ to, check }: Import, { allowLoss }: RunContext): LossLimits | undefined {
  if (to.allow_loss === true || allowLoss?.has(to.layer)) return undefined
  const fuse = check?.rows?.minimum === undefined ? defaultLossFuse : 1
  const hint = `Check the source. If the loss is intended: --allow-loss ${to.layer}, or to: { allow_loss: true }.`
  return { fuse, hint }
}

/** Returns the digest of a source and of all options that affect its import. */
function digestOf({ sha256 }: FileDigest, { from, check, to }: ImportPipeline): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, { ...from, file: undefined }, check ?? null, to.mode ?? 'replace']))
    .digest('hex')
}

function isUnchanged({ source, dataVersion }: TargetLayer, digest: string): boolean {
  return source !== undefined && source.digest === digest && source.version === dataVersion
}

/** Reports the row counts of the run that loaded the layer, after checking them against the present limits. */
async function reportUnchanged(
  pipeline: Import,
  { id, keyname: layer, source, dataVersion }: TargetLayer,
  { api, signal }: RunContext,
): Promise<LayerReport> {
  const unchanged = await countFeatures(api, id, signal)
  const { read, quarantined } = source?.rows ?? { read: unchanged, quarantined: 0 }
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

interface Transfer {
  readonly pipeline: Import
  readonly path: string
  readonly layer: TargetLayer
  readonly source: FileDigest
}

async function transferTable(
  { pipeline, path, layer, source }: Transfer,
  context: RunContext,
): Promise<UploadedSource> {
  const { file } = pipeline.quarantine ?? {}
  const quarantine = openQuarantine(file === undefined ? undefined : resolve(pipeline.folder, file))
  const step = startStep(context, 'read, check and upload', layer.keyname)
  const { bytes, tally, absentFields } = await openCheckedTable({
    path,
    pipeline,
    layer,
    quarantine,
    onProgress: (rows, bytesRead) => step.progress(rows, { read: bytesRead, total: source.sizeBytes }),
  })
  const name = `${layer.keyname}.csv`
  const upload = await uploadTable(name, bytes, context).finally(() => quarantine.close())
  const [first, kept] = [quarantine.first(), quarantine.file()]
  const counts = {
    layer: layer.keyname,
    read: tally.read,
    quarantined: quarantine.count(),
    first,
    file: kept,
  }
  checkRows(pipeline, counts)
  step.done()
  return { upload: { ...upload, name }, read: tally.read, quarantine, absentFields }
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

function quarantineReport({ first, file }: Quarantine): NonNullable<LayerReport['quarantine']> {
  const path = file()
  return { first: first(), ...(path === undefined ? {} : { file: path }) }
}

/** Number of rows of a source, and of its quarantined rows. */
interface RowCounts {
  /** Keyname of the target layer. */
  readonly layer: string
  readonly read: number
  readonly quarantined: number
  /** First bad rows, as examples. */
  readonly first: readonly BadRow[]
  /** File with the bad rows, if it was written. */
  readonly file: string | undefined
}

/**
 * Checks the number of rows and of bad rows of a source against the limits of a pipeline.
 *
 * @throws {Problem} pipeline/rows, pipeline/quarantine
 */
function checkRows({ check, quarantine }: ImportPipeline, counts: RowCounts): void {
  const { layer, read, quarantined } = counts
  const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = check?.rows ?? {}
  if (read < minimum || read > maximum) {
    const bound =
      read < minimum ? `fewer than check.rows.minimum ${minimum}` : `more than check.rows.maximum ${maximum}`
    const bad = quarantined === 0 ? '' : ` (${quarantined} bad)`
    throw refusal('pipeline/rows', `The source for "${layer}" has ${rows(read)}${bad}, ${bound}.`, counts)
  }
  const limit = quarantine?.limit ?? 0
  if (!isOverLimit(quarantined, read, limit)) return
  const message = `${quarantined} of ${rows(read)} for "${layer}" ${quarantined === 1 ? 'is' : 'are'} bad; the limit is ${limit}.`
  throw refusal('pipeline/quarantine', message, counts, { limit })
}

const rows = (count: number) => countOf(count, 'row')

function refusal(
  ...[code, message, counts, more = {}]: [
    code: 'pipeline/rows' | 'pipeline/quarantine',
    message: string,
    counts: RowCounts,
    more?: Readonly<Record<string, unknown>>,
  ]
): Problem {
  const { layer, read, quarantined, first, file } = counts
  const examples = first.map(({ line, reason }) => `- line ${line}: ${reason}`)
  return problem(code, `${message} Nothing was loaded.`, {
    ...(examples.length === 0 ? {} : { detail: examples.join('\n') }),
    ...(code === 'pipeline/rows' ? {} : { hint: adviceFor(file) }),
    data: { layer, read, loaded: 0, quarantined, ...more, ...(file === undefined ? {} : { file }) },
  })
}

function adviceFor(file: string | undefined): string {
  if (file !== undefined) return `Correct the rows listed in ${file}, or raise quarantine.limit.`
  return 'Correct the rows, or raise quarantine.limit; quarantine.file keeps the bad rows.'
}

/** Tells whether the number of bad rows exceeds a limit: a number, or a percentage of the rows such as `0.5%`. */
function isOverLimit(bad: number, read: number, limit: number | string): boolean {
  if (typeof limit === 'number') return bad > limit
  return bad > (read * Number(limit.slice(0, -1))) / 100
}
