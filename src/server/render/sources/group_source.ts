import { type Queryable, queriesUntil } from '../../../database/database.ts'
import { mercatorHalfWorld, mercatorWorld } from '../../../geo/mercator.ts'
import type { PlacedBlock, PointBlock } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import { readPointBlock } from '../../../render/image/point_block.ts'
import type { FilteredLayer } from '../../../render/vector_tile/tile_source.ts'
import { isForeign } from '../../../store/feature/feature_table.ts'
import type { TrackedLayer } from '../../../store/layer/stored_layer.ts'
import { type CurrentCache, createCurrentCache, untrackedTtlMs } from '../../map/current_cache.ts'
import { describeData } from '../../map/tile_data.ts'
import { findMetatiles } from '../metatile.ts'

/** Maximum size of all blocks, and size of a point and of each of its values. */
const bytes = { all: 64 * 2 ** 20, point: 32, value: 32 }

/** Creates an empty cache of the points of blocks, which the tiles of a block share. */
export function createBlockCache(): CurrentCache<PointBlock> {
  const sizeOf = ({ ids, fields }: PointBlock) => ids.length * (bytes.point + fields.length * bytes.value)
  return createCurrentCache({ bytes: bytes.all, sizeOf })
}

/** Points to group. */
export interface GroupSource {
  readonly layer: FilteredLayer & TrackedLayer
  readonly frame: ImageFrame
  /** How far symbols reach from the middle of their group, in pixels of 1/96 inch. */
  readonly reach: number
  /** Keynames of the fields that the symbols read. */
  readonly fields: readonly string[]
  /** Everything that the points depend on but the data of the layer. */
  readonly key: readonly unknown[]
  readonly blocks: CurrentCache<PointBlock>
  readonly database: Queryable
  readonly signal: AbortSignal
}

/**
 * Reads the points of a layer in blocks, whose points are grouped among themselves. The blocks of tiles are squares of their
 * zoom level, so that all tiles have the same groups. Another image is a block of its own.
 *
 * @throws {Problem} render/too-large
 */
export async function readGroups(source: GroupSource): Promise<PlacedBlock[]> {
  const { frame } = source
  const [metatile] = findMetatiles(frame)
  if (metatile === undefined) return [await readOwnBlock(source)]
  const { zoom } = metatile
  return Promise.all(
    blocksAround(source, zoom).map(async ({ column, row, left, top }) => ({
      ...{ left, top },
      block: await findBlock(source, [zoom, column, row]),
    })),
  )
}

/** Returns the points of a block of tiles from the cache, or reads them. */
function findBlock(source: GroupSource, place: BlockPlace): Promise<PointBlock> {
  const { layer, fields, database, blocks, signal } = source
  const frame = blockFrame(...place)
  const isTracked = !isForeign(layer)
  const key = JSON.stringify([source.key, fields, ...place])
  const layers = isTracked ? [layer] : []
  return blocks.get({ key, layers, signal, ttlMs: isTracked ? undefined : untrackedTtlMs }, async (stop) => ({
    tile: await readPointBlock(queriesUntil(stop, database), layer, { frame, fields }),
    data: layers.map((one) => describeData(one, [frame.box])),
  }))
}

type BlockPlace = readonly [zoom: number, column: number, row: number]

/** Returns the images of the blocks that `readGroups` reads. */
export function groupFrames(source: Pick<GroupSource, 'frame' | 'reach'>): ImageFrame[] {
  const [metatile] = findMetatiles(source.frame)
  if (metatile === undefined) return [ownFrame(source)]
  const { zoom } = metatile
  return blocksAround(source, zoom).map(({ column, row }) => blockFrame(zoom, column, row))
}

/** Maximum side of the blocks of tiles, in pixels. */
const blockSide = 1024

const worldSide = (zoom: number) => 256 * 2 ** zoom

/** Side of the blocks of a zoom level. Where the world is not larger, it is a block. */
const sideOf = (zoom: number) => Math.min(blockSide, worldSide(zoom))

/**
 * Shift of blocks against tiles, in pixels, so that the edges of blocks are neither the equator nor the prime meridian. A block
 * that is the world is not shifted.
 */
const blockShift = 384

const shiftOf = (zoom: number) => (worldSide(zoom) <= blockSide ? 0 : blockShift - blockSide)

const resolutionAt = (zoom: number) => mercatorWorld / 256 / 2 ** zoom

function blocksAround({ frame, reach }: Pick<GroupSource, 'frame' | 'reach'>, zoom: number) {
  const { box, width, height, pixelRatio = 1 } = frame
  const [shift, side] = [shiftOf(zoom), sideOf(zoom)]
  const left = Math.round((box[0] + mercatorHalfWorld) / resolutionAt(zoom)) - shift
  const top = Math.round((mercatorHalfWorld - box[3]) / resolutionAt(zoom)) - shift
  const range = (start: number, length: number) => {
    const first = Math.floor((start - reach) / side)
    const last = Math.floor((start + length + reach) / side)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  }
  return range(top, height / pixelRatio).flatMap((row) =>
    range(left, width / pixelRatio).map((column) => ({
      ...{ column, row, left: column * side - left, top: row * side - top },
    })),
  )
}

function blockFrame(zoom: number, column: number, row: number): ImageFrame {
  const resolution = resolutionAt(zoom)
  const pixels = sideOf(zoom)
  const [x, y] = [column, row].map((at) => at * pixels + shiftOf(zoom))
  const left = (x ?? 0) * resolution - mercatorHalfWorld
  const top = mercatorHalfWorld - (y ?? 0) * resolution
  const side = pixels * resolution
  return { box: [left, top - side, left + side, top], width: pixels, height: pixels }
}

/** Reads the points of an image with a margin, as QGIS does. */
async function readOwnBlock(source: GroupSource): Promise<PlacedBlock> {
  const { layer, fields, database, reach, signal } = source
  const block = await readPointBlock(queriesUntil(signal, database), layer, {
    frame: ownFrame(source),
    fields,
  })
  const margin = Math.ceil(reach)
  return { block, left: -margin, top: -margin }
}

/** Returns an image with a margin on each side, in pixels of 1/96 inch. */
function ownFrame({ frame, reach }: Pick<GroupSource, 'frame' | 'reach'>): ImageFrame {
  const { box, pixelRatio = 1, system } = frame
  const [width, height] = [frame.width / pixelRatio, frame.height / pixelRatio]
  const margin = Math.ceil(reach)
  const [dx, dy] = [((box[2] - box[0]) / width) * margin, ((box[3] - box[1]) / height) * margin]
  return {
    box: [box[0] - dx, box[1] - dy, box[2] + dx, box[3] + dy],
    ...{ width: width + 2 * margin, height: height + 2 * margin },
    ...(system === undefined ? {} : { system }),
  }
}
