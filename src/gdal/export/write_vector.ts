import { join } from 'node:path'
import type { Frames } from '../runner/frames.ts'
import { type RunOptions, readSummary, runInChild } from '../runner/run.ts'
import { type ExportJob, type ExportSummary, resultFolder } from './export_job.ts'

/** How an export runs, and where its rows come from. */
export interface ExportOptions extends Omit<RunOptions, 'feed'> {
  /** Writes the rows, as `ExportJob` wants them, once somebody takes them. */
  readonly feed: NonNullable<RunOptions['feed']>
}

/** An export that is written. */
export interface WrittenExport extends ExportSummary {
  readonly folder: string
}

/**
 * Writes rows as a file of a format of GDAL, in a child process that ends with this call, whatever happens. No more of
 * the rows than a few are in memory.
 *
 * @returns the folder of the result, which is one file or several, and what it could not hold
 * @throws {Problem} files/full, gdal/missing, gdal/failed; what `feed` throws; what the signal says
 */
export async function writeVector(
  job: Omit<ExportJob, 'kind'>,
  options: ExportOptions,
): Promise<WrittenExport> {
  const read = (frames: Frames) => readSummary<ExportSummary>(frames)
  const { notes } = await runInChild({ ...job, kind: 'export' }, read, options)
  return { folder: join(job.folder, resultFolder), notes }
}
