import { rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import type { RasterFacts } from '../../contract/raster.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { planGrid, type RasterGrid } from './mercator_grid.ts'
import { openPicture } from './open_raster.ts'
import { checkPicture, checkPixels } from './raster_check.ts'
import { unreadable } from './raster_fault.ts'
import { type RasterJob, rasterFileName } from './raster_job.ts'

/** Where a conversion reports to. */
export interface RasterSink {
  /** Says that the work goes on. */
  tick(): void
}

/** Colours and opacity, whatever the source has. */
const bandCount = 4

/** How GDAL works on pictures, besides the settings for all work. */
const rasterSettings: Readonly<Record<string, string>> = {
  GDAL_DISABLE_READDIR_ON_OPEN: 'EMPTY_DIR',
  // Megabytes.
  GDAL_CACHEMAX: '128',
  GDAL_NUM_THREADS: '1',
}

/**
 * Makes a tiled GeoTIFF with overviews of a picture, in web mercator, transparent where it has no data. No colour is
 * made up: each pixel is one of the source.
 *
 * @throws {Problem} source/*, files/full
 */
export async function convertRaster(
  gdal: GdalModule,
  job: RasterJob,
  sink: RasterSink,
): Promise<RasterFacts> {
  for (const [name, value] of Object.entries(rasterSettings)) gdal.config.set(name, value)
  const dataset = await openPicture(gdal, job)
  checkPicture(dataset, job)
  sink.tick()
  const grid = planGrid(gdal, dataset)
  checkPixels({ x: grid.xsize, y: grid.ysize, count: bandCount, pixelLimitBytes: job.pixelLimitBytes })
  const paths = { warped: join(job.folder, 'warped.tif'), finished: join(job.folder, rasterFileName) }
  const options = { progress_cb: throttle(() => sink.tick()) }
  try {
    const warped = await gdal.warpAsync(paths.warped, null, [grid.source], warpArguments(grid, job), options)
    const finished = await gdal.drivers
      .get('COG')
      .createCopyAsync(paths.finished, warped, cogOptions, false, options)
    const facts = readFacts(finished, job.srs)
    finished.close()
    warped.close()
    rmSync(paths.warped)
    return facts
  } catch (error) {
    throw conversionFault(job, error instanceof Error ? error.message : String(error))
  }
}

/** GDAL tells of its progress thousands of times. */
function throttle(tell: () => void): () => void {
  let lastMs = 0
  return () => {
    if (Date.now() - lastMs < 1000) return
    lastMs = Date.now()
    tell()
  }
}

function warpArguments({ source, box, xsize, ysize }: RasterGrid, { srs }: RasterJob): string[] {
  const hasAlpha = source.bands.count() === bandCount
  return [
    ...['-of', 'GTiff', '-t_srs', `EPSG:${srs}`, '-r', 'near', '-ovr', 'NONE', '-nomd', '-wm', '64'],
    ...['-te', ...box.map(String), '-ts', String(xsize), String(ysize)],
    ...(hasAlpha ? [] : ['-dstalpha']),
    // A pixel is without data where all its bands say so.
    ...['-wo', 'UNIFIED_SRC_NODATA=YES'],
    // It lives for a minute.
    ...['-co', 'TILED=YES', '-co', 'COMPRESS=DEFLATE', '-co', 'ZLEVEL=1', '-co', 'BIGTIFF=IF_SAFER'],
    ...['-co', 'SPARSE_OK=TRUE'],
  ]
}

/** @see https://gdal.org/drivers/raster/cog.html */
const cogOptions: Readonly<Record<string, string>> = {
  COMPRESS: 'DEFLATE',
  PREDICTOR: 'YES',
  BLOCKSIZE: '256',
  OVERVIEW_RESAMPLING: 'AVERAGE',
  BIGTIFF: 'IF_SAFER',
}

function readFacts({ rasterSize, geoTransform, bands }: Dataset, srs: number): RasterFacts {
  const all = [...bands]
  return {
    srs,
    xsize: rasterSize.x,
    ysize: rasterSize.y,
    dtype: all[0]?.dataType ?? '',
    colorInterpretation: all.map(({ colorInterpretation }) => colorInterpretation ?? 'Undefined'),
    geoTransform: [...(geoTransform ?? [])],
  }
}

/** A full disk shows in many ways, but GDAL does not say that it is one; the rest is the file's fault. */
function conversionFault(job: RasterJob, message: string): Error {
  const { bavail, bsize } = statfsSync(job.folder)
  return bavail * bsize < 1 << 20
    ? problem('files/full', 'the disk is full while a picture is read')
    : unreadable(job, message)
}
