import { type ImageFormat, imageLimits } from '../../contract/formats/image_format.ts'
import { problem } from '../../contract/problems.ts'
import { tileBbox } from '../../geo/tile.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import { readTileRequest, type TileOptions } from '../map/vector_tile.ts'

/** Size of tiles in pixels. */
const tileSize = 256

/** Maximum absolute coordinate of an extent, in units: many times the size of the world. */
const maxExtent = 1e9

/**
 * Returns the frame of a tile, with `scale` device pixels per pixel.
 *
 * @throws {Problem} request/invalid for a missing parameter, or a tile outside the grid of the zoom level
 */
export function tileFrame(options: TileOptions, scale = 1): ImageFrame {
  const { address } = readTileRequest(options)
  const side = tileSize * scale
  return { box: tileBbox(address), width: side, height: side, pixelRatio: scale }
}

/** Parameters of the frame of an image. */
export interface ImageFrameOptions {
  readonly extent?: readonly number[] | undefined
  readonly size?: readonly number[] | undefined
  readonly scale?: number | undefined
  readonly format: ImageFormat
}

/**
 * Returns the frame of an image, with `scale` device pixels per pixel of `size`.
 *
 * @throws {Problem} request/invalid for a missing parameter, an extent without area, too many pixels, or too narrow ones
 */
export function imageFrame({ extent, size, scale = 1, format }: ImageFrameOptions): ImageFrame {
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
  const box = [minX, minY, maxX, maxY] as const
  const frame = { box, width: width * scale, height: height * scale, pixelRatio: scale }
  checkSize(frame, format)
  const fault = describePixelFault(frame)
  if (fault === undefined) return frame
  throw problem('request/invalid', `extent and size: ${fault.message}`, { hint: fault.hint })
}

/** Limits of pixels: the smallest side in metres, and how many times as wide as high, or as high as wide. */
const pixelLimits = { metres: 1e-6, ratio: 1000 }

/**
 * Describes why the pixels of a frame cannot be drawn; undefined if they can. Coordinates of geometries are whole numbers of 32 bits,
 * in parts of the shorter side of a pixel.
 */
export function describePixelFault({ box, width, height, system }: ImageFrame) {
  const sides = [(box[2] - box[0]) / width, (box[3] - box[1]) / height]
  const [shorter, longer] = [Math.min(...sides), Math.max(...sides)]
  const units = pixelLimits.metres / (system?.metresPerUnit ?? 1)
  if (shorter >= units && longer <= pixelLimits.ratio * shorter) return undefined
  return {
    message: `a pixel would have ${sides.join(' × ')} units of the reference system.`,
    hint: `Use pixels of at least ${units} units, whose sides differ by a factor of at most ${pixelLimits.ratio}.`,
  }
}

function checkSize({ width, height }: Pick<ImageFrame, 'width' | 'height'>, format: ImageFormat): void {
  const { side, pixels } = imageLimits
  const given = `size × scale: the image has ${width} × ${height} pixels`
  if (width > side || height > side)
    throw problem('request/invalid', `${given}; the maximum is ${side} × ${side}.`)
  if (format === 'png' || width * height <= pixels) return
  throw problem('request/invalid', `${given}; the maximum for format ${format} is ${pixels} pixels.`, {
    hint: 'Use format=png.',
  })
}
