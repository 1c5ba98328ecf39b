import { LRUCache } from 'lru-cache'
import { type CogFile, findLevel, openCog } from '../cog/cog_file.ts'
import type { TiffImage } from '../cog/tiff_directory.ts'
import {
  type Enlarging,
  moveTransform,
  type PixelTransform,
  type PixelWindow,
  resample,
} from '../raster/resample.ts'
import { createSurface, type Surface } from '../raster/surface.ts'
import { type PixelGrid, warp } from '../raster/warp.ts'
import type { ProbeJob, RasterJobLayer } from './draw_job.ts'
import { findExtent } from './grid_extent.ts'
import { createPainter, type Painter } from './raster_paint.ts'

/** Open files and decoded tiles of a thread. */
const limits = { files: 32, tileBytes: 16 * 2 ** 20 }

const files = new LRUCache<string, CogFile>({
  max: limits.files,
  dispose: (file) => file.close(),
})

const tiles = new LRUCache<string, Int32Array>({
  maxSize: limits.tileBytes,
  sizeCalculation: (words) => words.byteLength,
})

/** Rows of a target that are drawn at once. */
const bandRows = 256

/** Maximum number of pixels of a raster that are held to draw them. */
const maxWindowPixels = 2 ** 23

/** Part of an image to draw. */
export interface RasterStrip {
  /** Row of the image that is the first of the surface. */
  readonly top: number
  /** Called again and again; throws to stop the work. */
  readonly check: () => void
}

/** An open raster, and how its tiles are painted. */
interface OpenRaster {
  readonly file: CogFile
  readonly enlarging: Enlarging
  /** Identifies the painted tiles. */
  readonly key: string
  readonly paint: Painter
}

/**
 * Draws what a transparent surface shows of a stored raster.
 *
 * @throws {TiffFault} for a damaged file
 */
export function drawRaster(surface: Surface, layer: RasterJobLayer, { top, check }: RasterStrip): void {
  const { raster, paint, enlarging, places, grid } = layer
  const file = openFile(raster)
  const painter = createPainter(paint, file.levels[0]?.samples ?? 1)
  const open = { file, enlarging, key: JSON.stringify([raster.digest, paint]), paint: painter }
  for (const place of places) {
    for (let row = 0; row < surface.height; row += bandRows) {
      check()
      drawBand(rowsFrom(surface, row), open, moveTransform(place, top + row))
    }
  }
  if (grid === undefined) return
  for (let row = 0; row < surface.height; row += bandRows) {
    check()
    drawGridBand(rowsFrom(surface, row), open, { grid, top: top + row })
  }
}

/**
 * Reads the values of the bands of a pixel; undefined outside of the raster, and where it has no data.
 *
 * @throws {TiffFault} for a damaged file
 */
export function probeRaster({ probe: { raster, column, row } }: ProbeJob): number[] | undefined {
  const file = openFile(raster)
  const [level] = file.levels
  if (level === undefined || !(column >= 0 && column < level.width && row >= 0 && row < level.height))
    return undefined
  const { tileWidth, tileHeight, samples } = level
  const across = Math.ceil(level.width / tileWidth)
  const index = Math.floor(row / tileHeight) * across + Math.floor(column / tileWidth)
  const values = file.readTile(level, index)
  const at = samples * ((row % tileHeight) * tileWidth + (column % tileWidth))
  const found = values && Array.from(values.subarray(at, at + samples))
  const isEmpty = found === undefined || (samples % 2 === 0 && found.at(-1) === 0)
  return isEmpty ? undefined : found
}

function openFile({ path, digest }: RasterJobLayer['raster']): CogFile {
  const known = files.get(digest)
  if (known !== undefined) return known
  const file = openCog(path)
  files.set(digest, file)
  return file
}

function rowsFrom({ width, height, bytes, words }: Surface, row: number): Surface {
  const count = Math.min(bandRows, height - row)
  return {
    width,
    height: count,
    bytes: bytes.subarray(4 * width * row, 4 * width * (row + count)),
    words: words.subarray(width * row, width * (row + count)),
  }
}

function drawBand(target: Surface, raster: OpenRaster, transform: PixelTransform): void {
  const found = findPart(target, raster.file, transform)
  if (found === undefined) return
  const { scaleX, scaleY, shiftX, shiftY } = found.transform
  const shifts = { shiftX: shiftX - found.box.left, shiftY: shiftY - found.box.top }
  resample(target, readWindow(raster, found), {
    transform: { scaleX, scaleY, ...shifts },
    // An overview is enlarged only a little, and has no pixels of its own to show.
    enlarging: found.level === raster.file.levels[0] ? raster.enlarging : 'bilinear',
  })
}

/** Draws rows of an image in another reference system. */
function drawGridBand(
  target: Surface,
  raster: OpenRaster,
  { grid, top }: { readonly grid: PixelGrid; readonly top: number },
): void {
  const { levels } = raster.file
  const [first] = levels
  const extent = first && findExtent({ grid, top, height: target.height }, first)
  if (first === undefined || extent === undefined) return
  const best = findLevel(raster.file, extent.shrinking)
  for (const level of levels.slice(levels.indexOf(best))) {
    const [scaleX, scaleY] = [level.width / first.width, level.height / first.height]
    const box = {
      left: Math.max(0, Math.floor(extent.left * scaleX) - 1),
      top: Math.max(0, Math.floor(extent.top * scaleY) - 1),
      right: Math.min(level.width, Math.ceil(extent.right * scaleX) + 1),
      bottom: Math.min(level.height, Math.ceil(extent.bottom * scaleY) + 1),
    }
    const [width, height] = [box.right - box.left, box.bottom - box.top]
    if (width <= 0 || height <= 0) return
    if (width * height > maxWindowPixels && level !== levels.at(-1)) continue
    const part = { scaleX, scaleY, shiftX: -box.left, shiftY: -box.top }
    const enlarging = level === first && extent.shrinking <= 1 ? raster.enlarging : 'bilinear'
    warp(target, readWindow(raster, { level, box }), { grid, top, part, enlarging })
    return
  }
}

/** Pixels of a level that a target shows. */
interface RasterPart {
  readonly level: TiffImage
  readonly box: LevelBox
  /** Positions of the target in the level. */
  readonly transform: PixelTransform
}

/** Finds the level with the fewest pixels that shows all details, or one that is small enough to be held. */
function findPart(target: Surface, file: CogFile, transform: PixelTransform): RasterPart | undefined {
  const [first] = file.levels
  if (first === undefined) return undefined
  const best = findLevel(file, Math.min(transform.scaleX, transform.scaleY))
  for (const level of file.levels.slice(file.levels.indexOf(best))) {
    const onLevel = scaleTransform(transform, level.width / first.width, level.height / first.height)
    const box = findBox(target, onLevel, level)
    if (box === undefined) return undefined
    if ((box.right - box.left) * (box.bottom - box.top) <= maxWindowPixels)
      return { level, box, transform: onLevel }
  }
  return undefined
}

function scaleTransform(
  { scaleX, scaleY, shiftX, shiftY }: PixelTransform,
  factorX: number,
  factorY: number,
): PixelTransform {
  return {
    scaleX: scaleX * factorX,
    scaleY: scaleY * factorY,
    shiftX: shiftX * factorX,
    shiftY: shiftY * factorY,
  }
}

/** Pixels of a level; `right` and `bottom` are exclusive. */
interface LevelBox {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Finds the pixels of a level that a target shows, with a margin for interpolation; undefined if there are none. */
function findBox(target: Surface, transform: PixelTransform, level: TiffImage): LevelBox | undefined {
  const { scaleX, scaleY, shiftX, shiftY } = transform
  const left = Math.max(0, Math.floor(shiftX) - 1)
  const top = Math.max(0, Math.floor(shiftY) - 1)
  const right = Math.min(level.width, Math.ceil(target.width * scaleX + shiftX) + 1)
  const bottom = Math.min(level.height, Math.ceil(target.height * scaleY + shiftY) + 1)
  return left < right && top < bottom ? { left, top, right, bottom } : undefined
}

function readWindow(raster: OpenRaster, { level, box }: Pick<RasterPart, 'level' | 'box'>): PixelWindow {
  const { tileWidth, tileHeight } = level
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  const { words } = createSurface(width, height)
  const across = Math.ceil(level.width / tileWidth)
  for (let row = Math.floor(box.top / tileHeight); row * tileHeight < box.bottom; row += 1) {
    for (let column = Math.floor(box.left / tileWidth); column * tileWidth < box.right; column += 1) {
      const tile = readTile(raster, level, row * across + column)
      if (tile === undefined) continue
      const [tileLeft, tileTop] = [column * tileWidth, row * tileHeight]
      const [from, to] = [Math.max(box.left, tileLeft), Math.min(box.right, tileLeft + tileWidth)]
      const end = Math.min(box.bottom, tileTop + tileHeight)
      for (let y = Math.max(box.top, tileTop); y < end; y += 1) {
        const start = (y - tileTop) * tileWidth - tileLeft
        words.set(tile.subarray(start + from, start + to), (y - box.top) * width + from - box.left)
      }
    }
  }
  return { width, height, words }
}

function readTile({ file, key, paint }: OpenRaster, level: TiffImage, index: number): Int32Array | undefined {
  const place = `${key} ${level.width} ${index}`
  const known = tiles.get(place)
  if (known !== undefined) return known
  const values = file.readTile(level, index)
  if (values === undefined) return undefined
  const words = paint(values)
  tiles.set(place, words)
  return words
}
