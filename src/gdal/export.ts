import { join } from 'node:path'
import { type ExportJob, resultFolder } from './export_job.ts'
import { type RunOptions, readSummary, runInChild } from './run.ts'

/** How an export runs, and where its rows come from. */
export interface ExportOptions extends Omit<RunOptions, 'feed'> {
  /** Writes the rows, as `ExportJob` wants them, once somebody takes them. */
  readonly feed: NonNullable<RunOptions['feed']>
}

/**
 * Writes rows as a file of a format of GDAL, in a child process that ends with this call, whatever happens. No more of
 * the rows than a few are in memory.
 *
 * @returns the folder of the result, which is one file or several
 * @throws {Problem} files/full, gdal/missing, gdal/failed; what `feed` throws; what the signal says
 */
export async function writeVector(job: Omit<ExportJob, 'kind'>, options: ExportOptions): Promise<string> {
  await runInChild({ ...job, kind: 'export' }, (frames) => readSummary<object>(frames), options)
  return join(job.folder, resultFolder)
}
