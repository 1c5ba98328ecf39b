import { listCopies } from '../../geo/world.ts'
import { type DrawnLayer, drawLayer } from '../draw/layer.ts'
import { createSurface, releaseSurface, type Surface } from '../raster/surface.ts'
import type { DrawJob, JobFeatures } from './draw_job.ts'

/** Columns of an image that show one copy of the world. */
export interface WorldStrip {
  readonly copy: number
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/**
 * Returns the columns of each copy of the world that an image shows of polygons; undefined if it shows one world. Polygons are
 * divided at the edges of the world, and their outlines continue beyond them, so that no copy may be drawn on the columns
 * of another.
 */
export function worldStrips(
  { family, corner, unitsPerPixel, worldUnits }: JobFeatures,
  { width }: Pick<DrawJob, 'width'>,
): readonly WorldStrip[] | undefined {
  const [west, world] = [-corner[0] / unitsPerPixel[0], worldUnits / unitsPerPixel[0]]
  if (family !== 'POLYGON' || (west < tolerance && west + world > width - tolerance)) return undefined
  const columnOf = (copy: number) => Math.max(0, Math.min(width, Math.round(west + copy * world)))
  const shown = listCopies([-west - world / 2, 0, width - west - world / 2, 0], world)
  const strips = shown.map((copy) => ({ copy, from: columnOf(copy), to: columnOf(copy + 1) }))
  return strips.filter(({ from, to }) => to > from)
}

/** Part of a pixel by which an image may extend beyond the world, due to rounding. */
const tolerance = 0.1

/** A layer, with the columns of each copy of the world if there are several, and the copy in which each feature is drawn. */
interface StripedLayer extends DrawnLayer {
  readonly strips?: readonly WorldStrip[] | undefined
  readonly copies?: JobFeatures['copies'] | undefined
}

/**
 * Draws the features of a layer over a surface, each on the columns of its copy of the world.
 *
 * @throws what `check` of the layer throws
 */
export function drawStriped(
  surface: Surface,
  layer: StripedLayer,
  origin: Parameters<typeof drawLayer>[2],
): void {
  const { strips, copies } = layer
  if (strips === undefined) drawLayer(surface, layer, origin)
  for (const { copy, from, to } of strips ?? []) {
    const features = layer.features.filter((_, at) => (copies?.[at] ?? 0) === copy)
    // With what is below, since layers may be blended with it.
    const drawn = createSurface(surface.width, surface.height)
    drawn.words.set(surface.words)
    drawLayer(drawn, { ...layer, features }, origin)
    for (let start = 0; start < surface.words.length; start += surface.width)
      surface.words.set(drawn.words.subarray(start + from, start + to), start + from)
    releaseSurface(drawn)
  }
}
