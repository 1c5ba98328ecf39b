import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline as connect } from 'node:stream/promises'
import { formatSource, markerKeys } from '../contract/markers.ts'
import { problem } from '../contract/problems.ts'
import { type SyncOutcome, syncLayer } from '../transfer/sync/sync_layer.ts'
import { checkTable, type Transfer } from './check_table.ts'
import { isTable } from './pipeline_schema.ts'
import { openQuarantine, type Quarantine } from './quarantine.ts'
import { limitsOf, quarantineReport } from './row_limits.ts'
import { type RunContext, startStep } from './run_context.ts'
import type { LayerReport, RunResult } from './run_event.ts'

/** A file that a layer is made equal to. */
export interface SyncTransfer extends Transfer {
  /** Digest of the file and the options, for the marker of the layer. */
  readonly digest: string
}

/** A source with the results of checking it. */
interface CheckedSource {
  readonly path: string
  /** Number of rows read; undefined if only GDAL can count them. */
  readonly read: number | undefined
  readonly quarantine: Quarantine
  /** Keys of the rows in quarantine; undefined for a key that cannot be read. */
  readonly badKeys: readonly (readonly string[] | undefined)[]
}

/**
 * Changes the features of a layer that differ from a file: reads and checks the file, compares it with the layer by key,
 * and sends the difference.
 *
 * @throws {Problem} pipeline/quarantine, pipeline/rows, data/loss, data/key and source/* before any change
 */
export async function runSync(transfer: SyncTransfer, context: RunContext): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-table-'))
  try {
    const checked = await checkSource(transfer, folder, context)
    const step = startStep(context, 'compare and load', transfer.layer.keyname)
    const outcome = await syncFile(transfer, checked, context)
    step.done()
    return { outcome: 'loaded', layers: [reportOf(transfer, checked, outcome)] }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

async function checkSource(
  transfer: SyncTransfer,
  folder: string,
  context: RunContext,
): Promise<CheckedSource> {
  const { path, pipeline } = transfer
  if (!isTable(pipeline.from))
    return { path, read: undefined, quarantine: openQuarantine(undefined), badKeys: [] }
  const { sent, read, quarantine, badKeys } = await checkTable(transfer, context, {
    step: 'read and check',
    async send(name, bytes) {
      const file = join(folder, name)
      await connect(bytes, createWriteStream(file))
      return file
    },
  })
  return { path: sent, read, quarantine, badKeys }
}

async function syncFile(
  { pipeline, layer, digest }: SyncTransfer,
  { path, read, quarantine, badKeys }: CheckedSource,
  context: RunContext,
): Promise<SyncOutcome> {
  const { geometryType, srs, keyname: name, fields } = layer
  if (geometryType === undefined || srs === undefined)
    throw problem('data/not-comparable', `The server cannot compare the features of "${name}".`)
  const { source_layer, encoding } = pipeline.from
  const options = {
    keep_fields: fields.length > 0,
    ...(source_layer === undefined ? {} : { source_layer }),
    ...(encoding === undefined || isTable(pipeline.from) ? {} : { encoding }),
  }
  const rows = read === undefined ? {} : { rows: { read, quarantined: quarantine.count() } }
  const sync = {
    layer: { ...layer, name, geometryType, srs },
    source: { path, options, signal: context.signal },
    key: [pipeline.to.key ?? []].flat(),
    badKeys,
    limits: limitsOf(pipeline, context),
    sent: read === undefined ? undefined : read - quarantine.count(),
    metadata: (version: number) => ({
      [markerKeys.source]: formatSource({ digest, version, pipeline: true, ...rows }),
    }),
  }
  return syncLayer(context.api, sync, context.signal)
}

function reportOf(
  { layer, digest }: SyncTransfer,
  { read, quarantine }: CheckedSource,
  { change: { before, after }, difference, summary, dataVersion }: SyncOutcome,
): LayerReport {
  const { added, changed, removed, removedExtensions, kept, unchanged } = difference
  const { attachments, descriptions } = removedExtensions
  return {
    layer: layer.keyname,
    read: read ?? after - (difference.kept?.count ?? 0),
    loaded: added + changed,
    unchanged,
    ...(kept === undefined ? {} : { kept }),
    ...(removed === 0 ? {} : { removed }),
    ...(attachments === 0 ? {} : { removedAttachments: attachments }),
    ...(descriptions === 0 ? {} : { removedDescriptions: descriptions }),
    quarantined: quarantine.count(),
    before,
    digest,
    dataVersion,
    ...(summary.notes.length === 0 ? {} : { notes: summary.notes }),
    ...(quarantine.count() === 0 ? {} : { quarantine: quarantineReport(quarantine) }),
  }
}
