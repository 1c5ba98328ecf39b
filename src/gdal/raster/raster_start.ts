import { open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { unreadable } from './raster_fault.ts'

/** TIFF and BigTIFF, in either order of bytes. @see TIFF 6.0 section 2 */
const tiffStarts: ReadonlySet<string> = new Set(['II*\0', 'MM\0*', 'II+\0', 'MM\0+'])

/** What a file is by its first bytes; undefined for other formats. */
export type RasterFormat = 'tiff' | 'zip' | 'empty' | undefined

/** Recognizes a TIFF or an archive by its first bytes. */
export async function readRasterFormat(path: string): Promise<RasterFormat> {
  const start = await readStart(path)
  if (start === '') return 'empty'
  if (tiffStarts.has(start)) return 'tiff'
  return start === 'PK\u0003\u0004' ? 'zip' : undefined
}

async function readStart(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

/**
 * Checks that a file starts like a GeoTIFF, or like an archive that may have one. Does not need GDAL.
 *
 * @throws {Problem} source/unreadable
 */
export async function requireRasterFormat(
  path: string,
  job: Parameters<typeof unreadable>[0] = { name: basename(path), folder: dirname(path) },
): Promise<'tiff' | 'zip'> {
  const format = await readRasterFormat(path)
  if (format === 'empty') throw unreadable(job, 'it is empty')
  if (format === undefined) throw unreadable(job, 'it is not a TIFF file')
  return format
}
