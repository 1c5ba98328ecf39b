import TileLayer from 'ol/layer/Tile'
import type { MapLayer } from '../../style/map_layers.ts'
import { type ImageLoads, openLoads } from './image_loads.ts'
import { isOfLayers, shownLayers } from './server_image.ts'
import { TileImageSource } from './tile_images.ts'

/** Labels of layers that are drawn as several images, above all of them. */
export interface LabelTiles {
  readonly drawn: TileLayer
  /** Shows the labels of layers, from top to bottom. Returns false if the server cannot draw them. */
  show(layers: readonly MapLayer[]): boolean
}

/** Options of labels. */
export interface LabelTilesOptions extends ImageLoads {
  readonly zIndex: number
  /** The server cannot draw the labels that are shown. */
  onFault(): void
}

/** Creates the place of labels, which is empty. Tiles of labels agree, and are drawn of what the server remembers. */
export function createLabelTiles({ zIndex, onFault, ...loads }: LabelTilesOptions): LabelTiles {
  const failed = new Set<string>()
  let shown = ''
  const images = openLoads(() => 'the labels', {
    ...loads,
    onUndrawable() {},
    onFault(error) {
      if (!isOfLayers(error)) return false
      failed.add(shown)
      onFault()
      return true
    },
  })
  const source = new TileImageSource({ load: images.load })
  const drawn = new TileLayer({ source, zIndex, visible: false })
  images.onRecovered(() => drawn.changed())
  return {
    drawn,
    show(layers) {
      const [name, shownAt] = shownLayers(layers, 'only')
      const isShown = layers.length > 0 && !failed.has(name)
      drawn.setVisible(isShown)
      if (isShown) {
        shown = name
        source.setResources(name, shownAt)
      }
      return isShown
    },
  }
}
