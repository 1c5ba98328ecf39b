import { createHash } from 'node:crypto'
import { extname, resolve } from 'node:path'
import { problem } from '../contract/problems.ts'
import type { Upload } from '../contract/resource.ts'
import { loadTimeoutMs } from '../transfer/prepare.ts'
import { digestFile, type FileDigest, uploadFile } from '../transfer/upload.ts'
import { type RunContext, startStep } from './context.ts'
import type { Done, LayerReport } from './event.ts'
import { exchangeFeatures } from './exchange.ts'
import { countFeatures, getLayer, type TargetLayer } from './layer.ts'
import type { ImportPipeline, Pipeline } from './pipeline.ts'
import { openQuarantine, type Quarantine } from './quarantine.ts'
import { checkRows } from './row_limits.ts'
import { openCheckedTable } from './table.ts'

type Import = Extract<Pipeline, { kind: 'import' }>

/** A file that was read, checked and uploaded. */
interface Transferred {
  readonly upload: Upload
  /** Rows read; undefined where only the server knows how many there are. */
  readonly read: number | undefined
  readonly quarantine: Quarantine
}

/**
 * Fills a layer from a file: read, check, transfer, count on the server, exchange. The features of the layer are
 * replaced at once or not at all; nothing is loaded where file, options and layer are as the last load left them.
 *
 * @throws {Problem} pipeline/quarantine, pipeline/rows before anything has changed; pipeline/counts
 */
export async function runImport(pipeline: Import, context: RunContext): Promise<Done> {
  const path = resolve(pipeline.folder, pipeline.from.file)
  const layer = await getLayer(context.api, pipeline.to.layer, context.signal)
  const source = await digestFile(path, context.signal)
  const digest = digestOf(source, pipeline)
  if (!context.force && isUnchanged(layer, digest))
    return { outcome: 'unchanged', layers: [await reportUnchanged(pipeline, layer, context)] }
  const transferred = isTable(pipeline)
    ? await transferTable({ pipeline, path, layer, source }, context)
    : await transferFile({ pipeline, path, layer, source }, context)
  const { read, quarantine, upload } = transferred
  if (read === quarantine.count()) await refuseEmptying({ pipeline, layer, transferred }, context)
  const check = (count: number) => checkCount(count, { pipeline, layer, transferred }, context)
  const rows = read === undefined ? {} : { rows: { read, quarantined: quarantine.count() } }
  const exchange = { layer, source: { digest, ...rows }, upload, reading: readingOf(pipeline, layer), check }
  const { count: loaded, notes } = await exchangeFeatures(exchange, context)
  const report: LayerReport = {
    layer: layer.keyname,
    read: read ?? loaded,
    loaded,
    unchanged: 0,
    quarantined: quarantine.count(),
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

interface Counting {
  readonly pipeline: Import
  readonly layer: TargetLayer
  readonly transferred: Transferred
}

/** All rows that were sent have to be there. */
async function checkCount(count: number, counting: Counting, context: RunContext): Promise<void> {
  const { read, quarantine } = counting.transferred
  const { layer } = counting
  const sent = read === undefined ? count : read - quarantine.count()
  if (count !== sent) {
    throw problem('pipeline/counts', `${sent} rows were sent to "${layer.keyname}", ${count} arrived.`, {
      resource: layer.id,
      data: { read, loaded: count, quarantined: quarantine.count() },
    })
  }
  if (count === 0) await refuseEmptying(counting, context)
}

/** A source that a slip emptied does not empty a layer. */
async function refuseEmptying(
  { pipeline, layer, transferred }: Counting,
  { api, signal }: RunContext,
): Promise<void> {
  if (pipeline.check?.rows?.minimum !== undefined) return
  const before = await countFeatures(api, layer.id, signal)
  if (before === 0) return
  throw problem('pipeline/rows', `The source has no rows to load, and would empty "${layer.keyname}".`, {
    hint: 'Look at the source. If it is meant: check: { rows: { minimum: 0 } }.',
    resource: layer.id,
    data: { read: transferred.read, features: before },
  })
}

const tableExtensions = ['.csv', '.tsv', '.txt']

function isTable({ from }: ImportPipeline): boolean {
  return from.csv !== undefined || tableExtensions.includes(extname(from.file).toLowerCase())
}

/** Digest of the bytes of a source and of everything that decides what they become. */
function digestOf({ sha256 }: FileDigest, { from, check, to }: ImportPipeline): string {
  return createHash('sha256')
    .update(JSON.stringify([sha256, { ...from, file: undefined }, check ?? null, to.mode ?? 'replace']))
    .digest('hex')
}

function isUnchanged({ source, dataVersion }: TargetLayer, digest: string): boolean {
  return source !== undefined && source.digest === digest && source.version === dataVersion
}

/** Tells what the run that loaded the layer counted; the limits of this run hold for those counts. */
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
): Promise<Transferred> {
  const { file } = pipeline.quarantine ?? {}
  const quarantine = openQuarantine(file === undefined ? undefined : resolve(pipeline.folder, file))
  const step = startStep(context, 'read, check and upload', layer.keyname)
  const { bytes, tally } = await openCheckedTable({
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
  return { upload: { ...upload, name }, read: tally.read, quarantine }
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

async function transferFile({ path, layer, source }: Transfer, context: RunContext): Promise<Transferred> {
  const step = startStep(context, 'upload', layer.keyname)
  const { upload } = await uploadFile(context.api, {
    path,
    signal: context.signal,
    onProgress: (sent) => step.progress(0, { read: sent, total: source.sizeBytes }),
  })
  step.done()
  return { upload, read: undefined, quarantine: openQuarantine(undefined) }
}

function quarantineReport({ first, file }: Quarantine): NonNullable<LayerReport['quarantine']> {
  const path = file()
  return { first: first(), ...(path === undefined ? {} : { file: path }) }
}
