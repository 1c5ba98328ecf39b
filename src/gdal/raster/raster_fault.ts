import { join } from 'node:path'
import { problem } from '../../contract/problems.ts'
import { nameSource } from '../sources/source_name.ts'
import type { RasterJob } from './raster_job.ts'

/** Where the picture of a job gets a name that GDAL knows. */
export const pictureFolder = 'picture'

/** That name. */
export const pictureName = 'source.tif'

/** A file that GDAL cannot make anything of. */
export function unreadable({ name, folder }: Pick<RasterJob, 'name' | 'folder'>, reason: string): Error {
  // Where the server keeps its files is nobody's business.
  const told = reason.replaceAll(join(folder, pictureFolder, pictureName), 'the file').replaceAll(folder, '')
  return problem('source/unreadable', `${nameSource(name)} cannot be read: ${told}`, {
    hint: 'Send a GeoTIFF with 3 or 4 bands of 8 bits.',
  })
}

/** A picture that a layer cannot be made of. */
export function badRaster(message: string, hint?: string): Error {
  return problem('source/bad-raster', message, hint === undefined ? {} : { hint })
}
