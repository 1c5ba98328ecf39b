import { closeSync, openSync } from 'node:fs'
import { readAt, readTiffImages, type TiffImage } from './tiff_directory.ts'
import { decodeTile, type TileValues } from './tile_values.ts'

/** An open raster: a GeoTIFF with tiles and overviews. Reads block the thread. */
export interface CogFile {
  /** The raster and its overviews, from the largest to the smallest. */
  readonly levels: readonly TiffImage[]
  /**
   * Reads a tile of a level; undefined if it is empty.
   *
   * @throws {TiffFault}
   */
  readTile(level: TiffImage, index: number): TileValues | undefined
  close(): void
}

/**
 * Opens a raster that the server has stored.
 *
 * @throws {TiffFault} for another form of TIFF
 * @throws {Error} if the file does not exist
 */
export function openCog(path: string): CogFile {
  const file = openSync(path, 'r')
  try {
    const levels = readTiffImages(file)
      .filter(({ isMask }) => !isMask)
      .sort((a, b) => b.width - a.width)
    return {
      levels,
      readTile(level, index) {
        const [offset = 0, length = 0] = [level.offsets[index], level.lengths[index]]
        return length === 0 ? undefined : decodeTile(readAt(file, offset, length), level)
      },
      close: () => closeSync(file),
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** Maximum factor by which pixels of an overview are enlarged: reading four times as many shows hardly more. */
const overviewEnlarging = 1.2

/**
 * Returns the smallest level whose pixels are not larger than the requested ones, or hardly.
 *
 * @param shrinking pixels of the raster along a requested pixel
 */
export function findLevel({ levels }: Pick<CogFile, 'levels'>, shrinking: number): TiffImage {
  const [first] = levels
  if (first === undefined) throw new Error('a raster without levels')
  const fits = levels.filter(
    ({ width, height }) =>
      Math.max(first.width / width, first.height / height) <= shrinking * overviewEnlarging,
  )
  return fits.at(-1) ?? first
}
