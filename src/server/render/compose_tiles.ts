import PQueue from 'p-queue'
import type { ImageFormat } from '../../contract/formats/image_format.ts'
import { problem } from '../../contract/problems.ts'
import type { TileAddress } from '../../geo/tile.ts'
import { decodeImage } from '../../render/external_image.ts'
import type { DrawnImage, JobWindow } from '../../render/image/draw_job.ts'
import type { ImageFrame } from '../../render/image/image_features.ts'
import type { ServerContext } from '../context.ts'
import type { ComposedTiles } from '../tile_store/composed_tiles.ts'
import { tileSide } from '../tile_store/kept_tile.ts'
import { tileFrame } from './frame.ts'

/** An image to compose. */
export interface Composition {
  readonly tiles: ComposedTiles
  readonly frame: ImageFrame
  readonly format: ImageFormat
  /** Returns a tile from the caches, or draws it. */
  readonly findTile: (frame: ImageFrame, signal: AbortSignal) => Promise<DrawnImage>
  readonly signal: AbortSignal
}

/** Number of tiles of an image that are drawn at the same time. */
const concurrency = 4

/**
 * Composes an image of tiles. Its pixels are exactly those of the tiles.
 *
 * @throws {Problem} render/*
 */
export async function composeTiles(
  { draws }: Pick<ServerContext, 'draws'>,
  { tiles, frame: { width, height }, format, findTile, signal }: Composition,
): Promise<DrawnImage> {
  const pixels = new Uint8Array(4 * width * height)
  const queue = new PQueue({ concurrency })
  // The tiles that are left are not drawn after a failure.
  const stop = new AbortController()
  const until = AbortSignal.any([signal, stop.signal])
  const put = async (address: TileAddress) => {
    until.throwIfAborted()
    const tile = await findTile(tileFrame(address), until)
    if (tile.isEmpty) return
    const image = await decodeImage(tile.bytes)
    if (image === undefined) throw problem('render/failed', 'A tile of the image cannot be decoded.')
    const place = [address.x * tileSide - tiles.corner[0], address.y * tileSide - tiles.corner[1]] as const
    copyTile(image, { pixels, width, height }, place)
  }
  try {
    await Promise.all(listAddresses(tiles).map((address) => queue.add(() => put(address))))
  } catch (error) {
    stop.abort(error)
    throw error
  }
  const job = { width, height, origin: tiles.corner, scaleDenom: 0, pixelsPerMapUnit: 1, format }
  return draws.draw({ ...job, layers: [{ pixels }] }, signal)
}

/** Lists the tiles of an image. */
export function listAddresses({ zoom, columns, rows }: ComposedTiles): TileAddress[] {
  const addresses: TileAddress[] = []
  for (let y = rows[0]; y <= rows[1]; y += 1)
    for (let x = columns[0]; x <= columns[1]; x += 1) addresses.push({ z: zoom, x, y })
  return addresses
}

/** Copies what lies in an image. The pixels of the image are premultiplied, those of the tile are not. */
function copyTile(tile: JobWindow, image: JobWindow, [left, top]: readonly [x: number, y: number]): void {
  const [from, to] = [Math.max(0, -left), Math.min(tile.width, image.width - left)]
  const last = Math.min(tile.height, image.height - top)
  for (let row = Math.max(0, -top); row < last; row += 1) {
    const source = tile.pixels.subarray(4 * (row * tile.width + from), 4 * (row * tile.width + to))
    const start = 4 * ((row + top) * image.width + from + left)
    for (let at = 0; at < source.length; at += 4) {
      const alpha = source[at + 3] ?? 0
      if (alpha === 0) continue
      image.pixels[start + at] = Math.round(((source[at] ?? 0) * alpha) / 255)
      image.pixels[start + at + 1] = Math.round(((source[at + 1] ?? 0) * alpha) / 255)
      image.pixels[start + at + 2] = Math.round(((source[at + 2] ?? 0) * alpha) / 255)
      image.pixels[start + at + 3] = alpha
    }
  }
}
