import { rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset } from 'gdal-async'
import type { RasterFacts } from '../../contract/bodies/raster.ts'
import { problem } from '../../contract/problems.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { measureBands } from './band_statistics.ts'
import { findEmptyValue } from './empty_value.ts'
import { georeference } from './georeference.ts'
import { planGrid, type RasterGrid } from './mercator_grid.ts'
import { type OpenedRaster, openRaster } from './open_raster.ts'
import { bytesOf, checkGeoreference, checkPixels, checkRaster } from './raster_check.ts'
import { unreadable } from './raster_fault.ts'
import { type RasterJob, rasterFileName } from './raster_job.ts'

/** Receiver of the progress of a conversion. */
export interface RasterSink {
  /** Reports progress. */
  tick(): void
}

/** Number of bands of the result: colours and alpha. */
const bandCount = 4

/** Settings of GDAL for rasters, in addition to the common settings. */
const rasterSettings: Readonly<Record<string, string>> = {
  GDAL_DISABLE_READDIR_ON_OPEN: 'EMPTY_DIR',
  // Megabytes.
  GDAL_CACHEMAX: '128',
  GDAL_NUM_THREADS: '1',
}

/** The module of GDAL, and the rasters that were made with it as views of others. */
interface RasterViews {
  readonly gdal: GdalModule
  /** Closes all views, the last first: a view that is closed after its source crashes the process. */
  close(): void
}

/**
 * Converts a raster to a tiled GeoTIFF with overviews in web mercator, transparent where it has no data: red, green, blue and
 * alpha, or the values of a band and alpha, of the data type of the source. Pixels are resampled by nearest neighbour, so that no new values arise.
 * Undefined for a job that only checks.
 *
 * @throws {Problem} source/*, files/full
 */
export async function convertRaster(
  gdal: GdalModule,
  job: RasterJob,
  sink: RasterSink,
): Promise<RasterFacts | undefined> {
  for (const [name, value] of Object.entries(rasterSettings)) gdal.config.set(name, value)
  const opened = await openRaster(gdal, job)
  const views = trackViews(gdal)
  try {
    return await convertOpened(views.gdal, opened, { job, sink })
  } finally {
    views.close()
    opened.dataset.close()
  }
}

interface Conversion {
  readonly job: RasterJob
  readonly sink: RasterSink
}

async function convertOpened(
  gdal: GdalModule,
  { dataset, path }: OpenedRaster,
  { job, sink }: Conversion,
): Promise<RasterFacts | undefined> {
  const kind = checkRaster(dataset, job)
  sink.tick()
  const placed = georeference(gdal, kind === 'palette' ? expandPalette(gdal, dataset) : dataset, path)
  checkGeoreference(placed, job)
  const grid = planGrid(gdal, placed)
  const valueBytes = kind === 'palette' ? bandCount : (kind === 'values' ? 2 : bandCount) * bytesOf(dataset)
  checkPixels({ x: grid.xsize, y: grid.ysize, count: valueBytes, pixelLimitBytes: job.pixelLimitBytes })
  if (job.isCheck) return undefined
  const paths = { warped: join(job.folder, 'warped.tif'), finished: join(job.folder, rasterFileName) }
  const options = { progress_cb: throttle(() => sink.tick()) }
  try {
    const warped = await gdal.warpAsync(paths.warped, null, [grid.source], warpArguments(grid), options)
    placeOnWorld(gdal, warped, grid)
    const finished = await gdal.drivers
      .get('COG')
      .createCopyAsync(paths.finished, warped, cogOptions, false, options)
    const found = readFacts(finished, job.srs)
    const isMeasured = kind === 'values' || found.dtype !== 'Byte'
    const facts = { ...found, statistics: isMeasured ? measureBands(finished, options.progress_cb) : null }
    finished.close()
    warped.close()
    rmSync(paths.warped)
    return facts
  } catch (error) {
    throw conversionFault(job, error instanceof Error ? error.message : String(error))
  }
}

/** Limits progress reports to one a second, since GDAL reports thousands of times. */
function throttle(report: () => void): () => void {
  let lastMs = 0
  return () => {
    if (Date.now() - lastMs < 1000) return
    lastMs = Date.now()
    report()
  }
}

/** Replaces a palette by its colours. */
function expandPalette(gdal: GdalModule, dataset: Dataset): Dataset {
  return gdal.translate('', dataset, ['-of', 'VRT', '-expand', 'rgba'])
}

/** Gives a raster across the antimeridian, whose grid has its centre there, its place in web mercator. */
function placeOnWorld(gdal: GdalModule, warped: Dataset, { shift }: RasterGrid): void {
  const { geoTransform } = warped
  if (shift === 0 || geoTransform === null) return
  warped.srs = gdal.SpatialReference.fromEPSG(3857)
  warped.geoTransform = geoTransform.map((value, at) => (at === 0 ? value + shift : value))
}

function warpArguments({ source, target, box, xsize, ysize }: RasterGrid): string[] {
  const hasAlpha = source.bands.count() % 2 === 0
  const empty = findEmptyValue(source)
  return [
    ...['-of', 'GTiff', '-t_srs', target, '-r', 'near', '-ovr', 'NONE', '-nomd', '-wm', '64'],
    ...['-te', ...box.map(String), '-ts', String(xsize), String(ysize)],
    ...(hasAlpha ? [] : ['-dstalpha']),
    ...(empty === undefined ? [] : ['-dstnodata', String(empty)]),
    // A pixel has no data if all of its bands have none.
    ...['-wo', 'UNIFIED_SRC_NODATA=YES'],
    // The intermediate file exists for a minute.
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

function readFacts(
  { rasterSize, geoTransform, bands }: Dataset,
  srs: number,
): Omit<RasterFacts, 'statistics'> {
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

/** Returns the problem of a failed conversion: a full disk, which GDAL does not report as such, or an unreadable file. */
function conversionFault(job: RasterJob, message: string): Error {
  const { bavail, bsize } = statfsSync(job.folder)
  return bavail * bsize < 1 << 20
    ? problem('files/full', 'the disk is full while a raster is read')
    : unreadable(job, message)
}

/** Returns the module with `translate` and `warp` that remember what they return. */
function trackViews(gdal: GdalModule): RasterViews {
  const views: Dataset[] = []
  const track = (view: Dataset) => {
    views.push(view)
    return view
  }
  const tracking: GdalModule = Object.create(gdal, {
    translate: { value: (...args: Parameters<GdalModule['translate']>) => track(gdal.translate(...args)) },
    warp: { value: (...args: Parameters<GdalModule['warp']>) => track(gdal.warp(...args)) },
  })
  return {
    gdal: tracking,
    close: () => {
      for (const view of views.toReversed()) view.close()
    },
  }
}
