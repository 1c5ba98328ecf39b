import { resolve } from 'node:path'
import type { FileDigest } from '../transfer/upload_file.ts'
import { type CheckedTable, openCheckedTable } from './checked_table.ts'
import type { Pipeline } from './pipeline_schema.ts'
import { openQuarantine, type Quarantine } from './quarantine.ts'
import { checkRows } from './row_limits.ts'
import { type RunContext, startStep } from './run_context.ts'
import type { TargetLayer } from './target_layer.ts'

/** A pipeline that loads a file into a layer. */
export type Import = Extract<Pipeline, { kind: 'import' }>

/** A file to load into a layer. */
export interface Transfer {
  readonly pipeline: Import
  /** Absolute path of the file. */
  readonly path: string
  readonly layer: TargetLayer
  readonly source: FileDigest
}

/** Receiver of a checked table. */
export interface TableReceiver<T> {
  /** Name of the step in the progress. */
  readonly step: string
  /** Takes the valid rows as a CSV file. */
  readonly send: (name: string, bytes: AsyncIterable<Uint8Array>) => Promise<T>
}

/** A table that was read, checked and sent. */
export interface SentTable<T> {
  readonly sent: T
  /** File name of the valid rows. */
  readonly name: string
  /** Number of rows read. */
  readonly read: number
  readonly quarantine: Quarantine
  /** Fields of the layer without a column. */
  readonly absentFields: readonly string[]
  /** Values of the key fields in the bad rows; undefined for a row that does not tell. */
  readonly badKeys: CheckedTable['badKeys']
}

/**
 * Reads the table of a pipeline, checks its rows, and sends the valid ones.
 *
 * @throws {Problem} pipeline/rows, pipeline/quarantine, usage/bad-argument, source/unreadable
 */
export async function checkTable<T>(
  { pipeline, path, layer, source }: Transfer,
  context: RunContext,
  { step: title, send }: TableReceiver<T>,
): Promise<SentTable<T>> {
  const { file } = pipeline.quarantine ?? {}
  const quarantine = openQuarantine(file === undefined ? undefined : resolve(pipeline.folder, file))
  const step = startStep(context, title, layer.keyname)
  const { bytes, tally, absentFields, badKeys } = await openCheckedTable({
    path,
    pipeline,
    layer,
    quarantine,
    onProgress: (rows, bytesRead) => step.progress(rows, { read: bytesRead, total: source.sizeBytes }),
  })
  const name = `${layer.keyname}.csv`
  const sent = await send(name, bytes).finally(() => quarantine.close())
  const [first, kept] = [quarantine.first(), quarantine.file()]
  const quarantined = quarantine.count()
  checkRows(pipeline, { layer: layer.keyname, read: tally.read, quarantined, first, file: kept })
  step.done()
  return { sent, name, read: tally.read, quarantine, absentFields, badKeys }
}
