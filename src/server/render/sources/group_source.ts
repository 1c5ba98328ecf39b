import { LRUCache } from 'lru-cache'
import type { Queryable } from '../../../database/database.ts'
import { mercatorHalfWorld, mercatorWorld } from '../../../geo/mercator.ts'
import type { PlacedBlock, PointBlock } from '../../../render/image/draw_job.ts'
import type { ImageFrame } from '../../../render/image/image_features.ts'
import { readPointBlock } from '../../../render/image/point_block.ts'
import type { FilteredLayer } from '../../../render/vector_tile/tile_source.ts'
import { findMetatiles } from '../metatile.ts'

/** Points of blocks, which the tiles of a block share. */
export interface BlockCache {
  /**
   * @param key everything that the points depend on; undefined if changes of the layer are not tracked
   */
  get(key: string | undefined, name: string, read: () => Promise<PointBlock>): Promise<PointBlock>
}

/** Milliseconds for which the points of a layer whose changes are not tracked are kept, so that adjacent tiles agree. */
const untrackedTtlMs = 5000

/** Maximum number of cached points, and points that an empty block counts for. */
const limits = { points: 1_000_000, overhead: 10 }

/** Creates an empty cache. */
export function createBlockCache(): BlockCache {
  const known = new LRUCache<string, PointBlock>({
    maxSize: limits.points,
    sizeCalculation: ({ ids, fields }) => ids.length * (1 + fields.length) + limits.overhead,
  })
  const running = new Map<string, Promise<PointBlock>>()
  return {
    get(key, name, read) {
      const place = key ?? `untracked ${name}`
      const found = known.get(place)
      if (found !== undefined) return Promise.resolve(found)
      const started = running.get(place) ?? read()
      if (running.has(place)) return started
      running.set(place, started)
      started
        .then((block) => known.set(place, block, key === undefined ? { ttl: untrackedTtlMs } : {}))
        .catch(() => undefined)
        .finally(() => running.delete(place))
      return started
    },
  }
}

/** Points to group. */
export interface GroupSource {
  readonly layer: FilteredLayer
  readonly frame: ImageFrame
  /** How far symbols reach from the middle of their group, in pixels of 1/96 inch. */
  readonly reach: number
  /** Keynames of the fields that the symbols read. */
  readonly fields: readonly string[]
  /** Which features are drawn; undefined for all. */
  readonly filter: string | undefined
  /** Everything that the points depend on; undefined if changes of the layer are not tracked. */
  readonly key: readonly unknown[] | undefined
  readonly blocks: BlockCache
  readonly database: Queryable
}

/**
 * Reads the points of a layer in blocks, whose points are grouped among themselves. The blocks of tiles are squares of their
 * zoom level, so that all tiles have the same groups. Another image is a block of its own.
 *
 * @throws {Problem} render/too-large
 */
export async function readGroups(source: GroupSource): Promise<PlacedBlock[]> {
  const { frame, layer, fields, database, blocks, key, filter } = source
  const [metatile] = findMetatiles(frame)
  if (metatile === undefined) return [await readOwnBlock(source)]
  const { zoom } = metatile
  return Promise.all(
    blocksAround(source, zoom).map(async ({ column, row, left, top }) => {
      const read = () => readPointBlock(database, layer, { frame: blockFrame(zoom, column, row), fields })
      const place = [zoom, column, row]
      const name = JSON.stringify([layer.resourceId, fields, filter, ...place])
      const block = await blocks.get(key && JSON.stringify([key, fields, ...place]), name, read)
      return { block, left, top }
    }),
  )
}

/** Returns the images of the blocks that `readGroups` reads. */
export function groupFrames(source: Pick<GroupSource, 'frame' | 'reach'>): ImageFrame[] {
  const [metatile] = findMetatiles(source.frame)
  if (metatile === undefined) return [ownFrame(source)]
  const { zoom } = metatile
  return blocksAround(source, zoom).map(({ column, row }) => blockFrame(zoom, column, row))
}

/** Side of the blocks of tiles, in pixels. */
const blockSide = 1024

/**
 * Shift of blocks against tiles, in pixels, so that the edges of blocks are neither the equator nor the prime meridian. Where
 * the world is not larger than a block, it is one.
 */
const blockShift = 384

const shiftOf = (zoom: number) => (256 * 2 ** zoom <= blockSide ? 0 : blockShift - blockSide)

const resolutionAt = (zoom: number) => mercatorWorld / 256 / 2 ** zoom

function blocksAround({ frame, reach }: Pick<GroupSource, 'frame' | 'reach'>, zoom: number) {
  const { box, width, height, pixelRatio = 1 } = frame
  const shift = shiftOf(zoom)
  const left = Math.round((box[0] + mercatorHalfWorld) / resolutionAt(zoom)) - shift
  const top = Math.round((mercatorHalfWorld - box[3]) / resolutionAt(zoom)) - shift
  const range = (start: number, length: number) => {
    const first = Math.floor((start - reach) / blockSide)
    const last = Math.floor((start + length + reach) / blockSide)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  }
  return range(top, height / pixelRatio).flatMap((row) =>
    range(left, width / pixelRatio).map((column) => ({
      ...{ column, row, left: column * blockSide - left, top: row * blockSide - top },
    })),
  )
}

function blockFrame(zoom: number, column: number, row: number): ImageFrame {
  const resolution = resolutionAt(zoom)
  const [x, y] = [column, row].map((at) => at * blockSide + shiftOf(zoom))
  const left = (x ?? 0) * resolution - mercatorHalfWorld
  const top = mercatorHalfWorld - (y ?? 0) * resolution
  const side = blockSide * resolution
  return { box: [left, top - side, left + side, top], width: blockSide, height: blockSide }
}

/** Reads the points of an image with a margin, as QGIS does. */
async function readOwnBlock(source: GroupSource): Promise<PlacedBlock> {
  const { layer, fields, database, reach } = source
  const block = await readPointBlock(database, layer, { frame: ownFrame(source), fields })
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
