import { problem } from '../../contract/problems.ts'
import { tileBbox } from '../../geo/tile.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { readTileRequest, type TileOptions } from '../map/vector_tile.ts'

/** Size of tiles in pixels. */
const tileSize = 256

/** Maximum absolute coordinate of an extent, in metres: many times the size of the world. */
const maxExtent = 1e9

/**
 * Returns the frame of a tile.
 *
 * @throws {Problem} request/invalid for a missing parameter, or a tile outside the grid of the zoom level
 */
export function tileFrame(options: TileOptions): ImageFrame {
  const { address } = readTileRequest(options)
  return { box: tileBbox(address), width: tileSize, height: tileSize }
}

/**
 * Returns the frame of an image.
 *
 * @throws {Problem} request/invalid for a missing parameter, or an extent without area
 */
export function imageFrame(
  extent: readonly number[] | undefined,
  size: readonly number[] | undefined,
): ImageFrame {
  if (extent === undefined) throw problem('request/invalid', 'Missing parameter "extent".')
  if (size === undefined) throw problem('request/invalid', 'Missing parameter "size".')
  const [minX = 0, minY = 0, maxX = 0, maxY = 0] = extent
  const [width = 0, height = 0] = size
  if (extent.length !== 4)
    throw problem('request/invalid', `extent: expected minx,miny,maxx,maxy, got ${extent.length} numbers.`)
  if (size.length !== 2)
    throw problem('request/invalid', `size: expected width,height, got ${size.length} numbers.`)
  const isInRange = extent.every((value) => Math.abs(value) <= maxExtent)
  if (!isInRange)
    throw problem('request/invalid', `extent: expected numbers from -${maxExtent} to ${maxExtent}.`)
  if (!(maxX > minX && maxY > minY))
    throw problem(
      'request/invalid',
      `extent: ${extent.join()} has no area; expected minx < maxx and miny < maxy.`,
    )
  return { box: [minX, minY, maxX, maxY], width, height }
}
