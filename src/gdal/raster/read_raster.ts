import { join } from 'node:path'
import type { RasterFacts } from '../../contract/raster.ts'
import { type RunOptions, readSummary, runInChild } from '../runner/run.ts'
import { type RasterJob, rasterFileName } from './raster_job.ts'

/** A picture that was read. */
export interface ReadRaster {
  readonly facts: RasterFacts
  /** GeoTIFF in the folder of the job: in tiles, with overviews. */
  readonly path: string
}

/** How long the largest pictures may take. */
const longestMs = 60 * 60_000

/**
 * Makes a GeoTIFF that a layer can have of a picture, with GDAL in a child process that ends with this call.
 *
 * @throws {Problem} source/*, files/full, gdal/missing, gdal/failed where GDAL crashed, hung or took too long; what the
 * signal says
 */
export async function readRaster(
  job: Omit<RasterJob, 'kind'>,
  options: RunOptions = {},
): Promise<ReadRaster> {
  const facts = await runInChild({ ...job, kind: 'raster' }, (frames) => readSummary<RasterFacts>(frames), {
    longestMs,
    ...options,
  })
  return { facts, path: join(job.folder, rasterFileName) }
}
