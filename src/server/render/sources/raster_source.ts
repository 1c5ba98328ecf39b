import type { Queryable } from '../../../database/database.ts'
import { mercatorWorld } from '../../../geo/mercator.ts'
import { listCopies } from '../../../geo/world.ts'
import type { RasterJobLayer } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import type { PixelTransform } from '../../../render/raster/resample.ts'
import type { PixelGrid } from '../../../render/raster/warp.ts'
import { type MemberRow, memberTable } from '../../../store/classes/member_table.ts'
import { findRasters, type Raster } from '../../../store/classes/raster_layer.ts'
import type { RenderSource } from '../../../store/classes/render_source.ts'
import { defaultRow } from '../../classes/row.ts'
import type { ServerContext } from '../../context.ts'
import { renderedLayerId } from '../../map/layer_style.ts'
import { notFound } from '../../resource/require_permission.ts'
import { centreGrid, findFrameGrid, moveGrid } from '../frame_grid.ts'
import type { SourceKind } from './drawn_source.ts'
import { rasterPaint } from './raster_paint.ts'

/** Rasters that the server stores, and their styles. */
export const rasterSources: SourceKind = {
  classes: ['raster_layer', 'raster_style'],
  async open(context, resources) {
    const { database } = context
    const rasters = await findRasters(database, resources.map(renderedLayerId))
    const styles = await memberTable('raster_style').find(
      database,
      resources.map(({ id }) => id),
    )
    return resources.map((resource) => {
      const raster = rasters.get(renderedLayerId(resource))
      if (raster === undefined) throw notFound(resource.id)
      const style = styles.get(resource.id) ?? defaultRow('raster_style')
      return {
        key: keyOf(resource, raster),
        read: (frame) => readRaster(context, { raster, style }, frame),
      }
    })
  },
}

function keyOf({ id, version }: RenderSource, { digest, geoTransform }: Raster): readonly unknown[] {
  return [id, version, digest, geoTransform]
}

interface StyledRaster {
  readonly raster: Raster
  readonly style: MemberRow<'raster_style'>
}

async function readRaster(
  { blobs, database }: ServerContext,
  { raster, style }: StyledRaster,
  frame: ImageFrame,
): Promise<RasterJobLayer> {
  const { digest } = raster
  return {
    raster: { digest, path: await blobs.localPath(digest) },
    paint: rasterPaint(raster, style),
    ...(frame.system === undefined
      ? { places: findPlaces(raster, frame) }
      : { places: [], grid: await findGrid(database, raster, frame) }),
    enlarging: style.resampling,
    opacity: style.opacity,
  }
}

/** Finds where the pixels of a frame in another reference system lie in a raster. */
async function findGrid(database: Queryable, raster: Raster, frame: ImageFrame): Promise<PixelGrid> {
  const [left = 0, stepX = 1, , top = 0, , stepY = -1] = raster.geoTransform
  const grid = await findFrameGrid(database, frame, 3857)
  return moveGrid(centreGrid(grid, left + (raster.xsize * stepX) / 2), {
    move: (x, y) => [(x - left) / stepX, (y - top) / stepY],
    pixelsPerUnit: 1 / stepX,
  })
}

/** Finds where the pixels of a frame lie in a raster: once for each copy of the world in which the frame shows it. */
export function findPlaces(raster: Raster, { box, width, height }: ImageFrame): PixelTransform[] {
  const [left = 0, stepX = 1, , top = 0, , stepY = -1] = raster.geoTransform
  const right = left + raster.xsize * stepX
  const [scaleX, scaleY] = [(box[2] - box[0]) / width / stepX, (box[1] - box[3]) / height / stepY]
  // A raster across the antimeridian lies in two copies at a time.
  const shown = listCopies([box[0] - mercatorWorld, 0, box[2] + mercatorWorld, 0], mercatorWorld)
  return shown.flatMap((copy) => {
    const shift = copy * mercatorWorld
    if (left + shift >= box[2] || right + shift <= box[0]) return []
    return [{ scaleX, scaleY, shiftX: (box[0] - left - shift) / stepX, shiftY: (box[3] - top) / stepY }]
  })
}
