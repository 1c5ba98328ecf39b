import type { Bbox } from '../../geo/bbox.ts'
import { mercatorHalfWorld, mercatorWorld } from '../../geo/mercator.ts'
import { copiesOf, type ImageFrame } from '../../render/image/image_features.ts'
import { frameMargin, frameSide, type LabelFrame } from '../../render/label/label_frame.ts'
import { maxWholeSide, repeatDistance } from '../../render/label/label_parts.ts'

/** A square of tiles whose labels are placed at once. */
export interface Metatile {
  readonly zoom: number
  readonly column: number
  readonly row: number
}

/** Side of a tile in pixels of 1/96 inch, and number of tiles along a side of a metatile. */
const tileSide = 256
const tilesAlong = frameSide / tileSide

/** Maximum number of metatiles of an image; larger images are labelled on their own. */
const maxMetatiles = 9

/** Maximum difference to whole numbers that comes from rounding. */
const tolerance = 1e-6

/** Lists the metatiles of an image that consists of whole tiles; empty for other images. */
export function findMetatiles({ box, width, height, pixelRatio = 1, system }: ImageFrame): Metatile[] {
  // Tiles are in EPSG:3857.
  if (system !== undefined) return []
  const [minX, minY, maxX, maxY] = box
  const [columns, rows] = [width / pixelRatio / tileSide, height / pixelRatio / tileSide]
  const side = (maxX - minX) / columns
  const zoom = Math.round(Math.log2(mercatorWorld / side))
  const tile = mercatorWorld / 2 ** zoom
  const [left, top] = [(minX + mercatorHalfWorld) / tile, (mercatorHalfWorld - maxY) / tile]
  const [right, bottom] = [(maxX + mercatorHalfWorld) / tile, (mercatorHalfWorld - minY) / tile]
  const isWhole = (value: number) => Math.abs(value - Math.round(value)) < tolerance
  const isAligned = [left, top, right, bottom, columns, rows].every(isWhole)
  const isInScale = Math.abs(right - left - columns) < tolerance && Math.abs(bottom - top - rows) < tolerance
  // Where one metatile shows all of the world, images that continue beyond it are labelled on their own.
  const isInWorld = Math.round(left) >= 0 && Math.round(right) <= 2 ** zoom
  const hasMetatiles = isInWorld || !isWholeWorld({ zoom })
  if (!(isAligned && isInScale && hasMetatiles && zoom >= 0 && zoom <= 30)) return []
  const firstOf = (edge: number) => Math.floor(Math.round(edge) / tilesAlong)
  const lastOf = (edge: number) => Math.floor((Math.round(edge) - 1) / tilesAlong)
  const metatiles: Metatile[] = []
  for (let row = firstOf(top); row <= lastOf(bottom); row += 1)
    for (let column = firstOf(left); column <= lastOf(right); column += 1) {
      if (metatiles.length === maxMetatiles) return []
      metatiles.push({ zoom, column, row })
    }
  return metatiles
}

/** Returns the top left corner of a metatile in pixels of the world at its zoom level. */
export function metatileCorner({ column, row }: Metatile): readonly [x: number, y: number] {
  return [column * frameSide, row * frameSide]
}

/** Returns the metatile that a position in pixels of the world lies in. */
export function metatileAt(zoom: number, [x, y]: readonly [number, number]): Metatile {
  return { zoom, column: Math.floor(x / frameSide), row: Math.floor(y / frameSide) }
}

/** Returns the image whose features decide the labels of a metatile. */
export function labelFrameOf(metatile: Metatile): ImageFrame {
  const [x, y] = metatileCorner(metatile)
  const resolution = mercatorWorld / tileSide / 2 ** metatile.zoom
  const side = frameSide + 2 * frameMargin
  const left = (x - frameMargin) * resolution - mercatorHalfWorld
  const top = mercatorHalfWorld - (y - frameMargin) * resolution
  return { box: [left, top - side * resolution, left + side * resolution, top], width: side, height: side }
}

/** Returns the areas of the world whose features decide the labels of a metatile. */
export function labelAreas(metatile: Metatile): Bbox[] {
  const frame = labelFrameOf(metatile)
  if (isWholeWorld(metatile)) return [frame.box]
  return copiesOf(frame, frame.box).map(({ box }) => box)
}

/**
 * Margin around the frame of a metatile within which geometries are complete: a part that begins there is seen whole, and parts
 * and pieces near it that are larger are seen, too.
 */
export const clipMargin = maxWholeSide / 2 + repeatDistance + 16

/** Returns the width of the world in pixels at a zoom level. */
export function worldPixels({ zoom }: Pick<Metatile, 'zoom'>): number {
  return tileSide * 2 ** zoom
}

/** Tells whether a metatile shows all of the world. */
export function isWholeWorld(metatile: Pick<Metatile, 'zoom'>): boolean {
  return worldPixels(metatile) <= frameSide
}

/**
 * Returns the area of a metatile in its label frame, and which of its sides have neighbours. East and west of the world are
 * those of its other end.
 */
export function seamsOf(metatile: Metatile): LabelFrame {
  const [, y] = metatileCorner(metatile)
  const world = worldPixels(metatile)
  const [start, end] = [frameMargin, frameMargin + frameSide]
  const isWhole = isWholeWorld(metatile)
  const [left, right] = isWhole ? [start, start + world] : [start - frameMargin, end + frameMargin]
  return {
    box: [start, start, end, end],
    bounds: [left, start - y, right, start - y + world],
    seams: { left: !isWhole, top: y > 0, right: !isWhole, bottom: y + frameSide < world },
    ...(isWhole ? { period: world } : {}),
  }
}
