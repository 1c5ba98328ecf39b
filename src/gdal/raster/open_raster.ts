import { linkSync, mkdirSync, statSync, symlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { Dataset } from 'gdal-async'
import { problem } from '../../contract/problems.ts'
import { unpackArchive } from '../../files/archive.ts'
import type { GdalModule } from '../runner/gdal_module.ts'
import { openFault } from '../sources/open_fault.ts'
import { rasterFolder, rasterName, unreadable } from './raster_fault.ts'
import type { RasterJob } from './raster_job.ts'
import { checkChunkCount } from './tiff_header.ts'

/** An open file, and where it was found: other files of its archive are beside it. */
export interface OpenedRaster {
  readonly dataset: Dataset
  readonly path: string
}

/**
 * Opens the GeoTIFF of a job, or the only one in a ZIP archive. Accepts no other format; GDAL reads no sidecar files.
 *
 * @throws {Problem} source/unreadable, source/bad-raster, files/full
 */
export async function openRaster(gdal: GdalModule, job: RasterJob): Promise<OpenedRaster> {
  const found = await findRaster(job)
  const path = nameFile(found, job.folder)
  await checkChunkCount(path, job)
  return { dataset: await openTiff(gdal, path, job), path: found }
}

async function openTiff(gdal: GdalModule, path: string, job: RasterJob): Promise<Dataset> {
  try {
    return await gdal.openAsync(path, 'r', 'GTiff')
  } catch (error) {
    throw unreadable(job, openFault(error, ['GeoTIFF']))
  }
}

async function findRaster(job: RasterJob): Promise<string> {
  if (statSync(job.path).size === 0) throw unreadable(job, 'it is empty')
  const kind = kindOf(await readStart(job.path))
  if (kind === 'tiff') return job.path
  if (kind === undefined) throw unreadable(job, 'it is not a TIFF file')
  const folder = join(job.folder, 'archive')
  const paths = (await unpackArchive(job.path, { folder, limitBytes: job.unpackLimitBytes })).filter(
    isRasterName,
  )
  const [only] = paths
  if (only === undefined) throw unreadable(job, 'the archive has no GeoTIFF')
  if (paths.length > 1) {
    const names = paths.map((path) => path.slice(folder.length + 1)).sort()
    throw problem('source/bad-raster', `the archive has ${paths.length} rasters: ${listSome(names)}`, {
      hint: 'Upload each raster separately, one for each layer.',
    })
  }
  if (kindOf(await readStart(only)) !== 'tiff')
    throw unreadable(job, `${JSON.stringify(basename(only))} is not a TIFF file`)
  return only
}

/** Skips hidden files that operating systems add, such as `__MACOSX/._map.tif`. */
const isRasterName = (path: string) =>
  ['.tif', '.tiff'].includes(extname(path).toLowerCase()) && !basename(path).startsWith('.')

const listSome = (names: readonly string[]) => names.slice(0, 5).join(', ') + (names.length > 5 ? ', …' : '')

async function readStart(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/** TIFF and BigTIFF, in either order of bytes. @see TIFF 6.0 section 2 */
const tiffStarts: ReadonlySet<string> = new Set(['II*\0', 'MM\0*', 'II+\0', 'MM\0+'])

function kindOf(start: string): 'tiff' | 'zip' | undefined {
  if (tiffStarts.has(start)) return 'tiff'
  return start === 'PK\u0003\u0004' ? 'zip' : undefined
}

/** Links the file into an empty folder, so that GDAL does not read sidecar files. */
function nameFile(path: string, jobFolder: string): string {
  const folder = join(jobFolder, rasterFolder)
  mkdirSync(folder)
  const named = join(folder, rasterName)
  try {
    linkSync(path, named)
  } catch {
    symlinkSync(path, named)
  }
  return named
}
