import type ImageTile from 'ol/ImageTile'
import XYZ from 'ol/source/XYZ'
import TileState from 'ol/TileState'
import { mercatorWorld } from '../../geo/mercator.ts'
import type { Load } from '../recovery.ts'
import { durationOf } from './interactions.ts'
import { imageScale, imageUrl, loadImage, type ShownAt } from './server_image.ts'

/** Options of tiles that the server draws. */
export interface TileImages {
  readonly minZoom?: number
  readonly maxZoom?: number
  readonly load: Load
}

/** Source of tiles that the server draws. */
export class TileImageSource extends XYZ {
  readonly #load: Load

  constructor({ load, minZoom = 0, maxZoom = 22 }: TileImages) {
    super({ minZoom, maxZoom, tilePixelRatio: imageScale, transition: durationOf(200) })
    this.#load = load
    // The place is part of the key: every copy of the world has its own tiles.
    this.setTileLoadFunction((tile, url) =>
      this.#load(
        tile.getTileCoord().join(),
        () => this.#attempt(tile as ImageTile, url),
        // The map requests idle tiles when they are in sight.
        () => tile.getState() === TileState.ERROR && tile.setState(TileState.IDLE),
      ),
    )
  }

  /** Sets what the tiles show, with a name of it. Tiles of earlier resources are shown until the new ones are there. */
  setResources(name: string, shownAt: ShownAt): void {
    if (name === this.getKey()) return
    this.setTileUrlFunction(([z = 0, x = 0, y = 0]) => {
      const shown = shownAt(mercatorWorld / 256 / 2 ** z)
      return shown && imageUrl('tile', { ...shown, z, x, y })
    }, name)
  }

  /** Loads a tile, also after a failure. */
  async #attempt(tile: ImageTile, url: string): Promise<void> {
    const name = this.getKey()
    if (tile.getState() === TileState.ERROR) tile.setState(TileState.LOADING)
    try {
      const image = await loadImage(url)
      if (image === undefined) tile.setState(TileState.EMPTY)
      else tile.setImage(image.width === tileSide ? image : scaleTile(image))
    } catch (error) {
      tile.setState(TileState.ERROR)
      // Tiles of other resources have taken its place.
      if (name === this.getKey()) throw error
    }
  }
}

/** Width and height of tiles in pixels of the screen. */
const tileSide = 256 * imageScale

function scaleTile(image: HTMLImageElement): HTMLCanvasElement {
  const canvas = document.createElement('canvas')
  canvas.width = tileSide
  canvas.height = tileSide
  canvas.getContext('2d')?.drawImage(image, 0, 0, tileSide, tileSide)
  return canvas
}
