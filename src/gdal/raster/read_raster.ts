import { join } from 'node:path'
import type { RasterFacts } from '../../contract/bodies/raster.ts'
import { type RunOptions, readSummary, runInChild } from '../runner/run.ts'
import { type RasterJob, rasterFileName } from './raster_job.ts'

/** A converted raster. */
export interface ReadRaster {
  readonly facts: RasterFacts
  /** Tiled GeoTIFF with overviews in the folder of the job. */
  readonly path: string
}

/** Maximum duration of a conversion. */
const longestMs = 60 * 60_000

/**
 * Checks a raster as its conversion does before it reads pixels: its format, bands, reference system and place.
 *
 * @throws {Problem} as `readRaster`
 */
export async function checkRasterFile(
  job: Omit<RasterJob, 'kind' | 'isCheck'>,
  options: RunOptions = {},
): Promise<void> {
  await runInChild({ ...job, kind: 'raster', isCheck: true }, (frames) => readSummary<object>(frames), {
    longestMs,
    ...options,
  })
}

/**
 * Converts a raster to the GeoTIFF of a layer, with GDAL in a child process that ends with this call.
 *
 * @throws {Problem} source/*, files/full, gdal/missing, gdal/failed if GDAL crashed, hung or took too long; the reason of
 *   the signal
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
