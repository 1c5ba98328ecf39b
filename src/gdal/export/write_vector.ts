import { join } from 'node:path'
import type { Frames } from '../runner/frames.ts'
import { type RunOptions, readSummary, runInChild } from '../runner/run.ts'
import { type ExportJob, type ExportSummary, resultFolder } from './export_job.ts'

/** Options of an export, and the source of its rows. */
export interface ExportOptions extends Omit<RunOptions, 'feed'> {
  /** Writes the rows in the format of `ExportJob`. */
  readonly feed: NonNullable<RunOptions['feed']>
}

/** A written export. */
export interface WrittenExport extends ExportSummary {
  readonly folder: string
}

/**
 * Writes rows to a file with GDAL, in a child process. Rows are streamed.
 *
 * @returns the folder of the resulting files, and what they cannot represent
 * @throws {Problem} files/full, gdal/missing, gdal/failed; what `feed` throws; the reason of the signal
 */
export async function writeVector(
  job: Omit<ExportJob, 'kind'>,
  options: ExportOptions,
): Promise<WrittenExport> {
  const read = (frames: Frames) => readSummary<ExportSummary>(frames)
  const { notes } = await runInChild({ ...job, kind: 'export' }, read, options)
  return { folder: join(job.folder, resultFolder), notes }
}
