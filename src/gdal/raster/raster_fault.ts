import { join } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { nameSource } from '../sources/source_name.ts'
import type { RasterJob } from './raster_job.ts'

/** Folder where the raster of a job gets a file name that GDAL accepts. */
export const rasterFolder = 'raster'

/** File name in that folder. */
export const rasterName = 'source.tif'

/** Returns the problem of a file that GDAL cannot read. */
export function unreadable({ name, folder }: Pick<RasterJob, 'name' | 'folder'>, reason: string): Error {
  // Paths of the server must not be in messages.
  const text = reason.replaceAll(join(folder, rasterFolder, rasterName), 'the file').replaceAll(folder, '')
  return problem('source/unreadable', `${nameSource(name)} cannot be read: ${text}`, {
    hint: 'Upload a GeoTIFF with one band, or with 3 or 4 bands of colours.',
  })
}

/** Returns the problem of a raster that layers do not support. */
export function badRaster(message: string, hint?: string): Error {
  return problem('source/bad-raster', message, hint === undefined ? {} : { hint })
}
