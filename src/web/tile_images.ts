import type ImageTile from 'ol/ImageTile'
import XYZ from 'ol/source/XYZ'
import TileState from 'ol/TileState'
import { durationOf } from './interactions.ts'
import type { Load } from './recovery.ts'
import { imageUrl, loadImage } from './server_image.ts'

/** Options of tiles that the server draws. */
export interface TileImages {
  /** Resource to draw. */
  readonly id: number
  readonly minZoom?: number
  readonly maxZoom?: number
  readonly load: Load
}

/** Creates the source of tiles that the server draws. */
export function createTileImages({ id, load, minZoom = 0, maxZoom = 22 }: TileImages): XYZ {
  return new XYZ({
    minZoom,
    maxZoom,
    transition: durationOf(200),
    tileUrlFunction: ([z = 0, x = 0, y = 0]) => imageUrl('tile', { resource: id, z, x, y }),
    // The place is part of the key: every copy of the world has its own tiles.
    tileLoadFunction: (tile, url) => load(tile.getTileCoord().join(), () => loadTile(tile as ImageTile, url)),
  })
}

/** Loads a tile, also after a failure. */
async function loadTile(tile: ImageTile, url: string): Promise<void> {
  if (tile.getState() === TileState.ERROR) tile.setState(TileState.LOADING)
  try {
    const image = await loadImage(url)
    if (image === undefined) tile.setState(TileState.EMPTY)
    else tile.setImage(image)
  } catch (error) {
    tile.setState(TileState.ERROR)
    throw error
  }
}
