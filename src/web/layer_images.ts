import ImageLayer from 'ol/layer/Image'
import type Layer from 'ol/layer/Layer'
import TileLayer from 'ol/layer/Tile'
import type XYZ from 'ol/source/XYZ'
import type { Load, OpenRecovery } from './recovery.ts'
import { reasonOf } from './request.ts'
import { isUndrawable } from './server_image.ts'
import type { Status } from './status.ts'
import { createTileImages } from './tile_images.ts'
import { type MapLayer, resolutionLimits } from './tree_walk.ts'
import { ViewImageSource } from './view_image.ts'

/** Layer of the map with its OpenLayers layer. */
export interface DrawnLayer {
  readonly layer: MapLayer
  readonly drawn: Layer
}

/** What loads of images need of the page. */
export interface ImageLoads {
  readonly status: Status
  readonly openRecovery: OpenRecovery
}

/** Options of drawn layers. */
export interface LayerImages extends ImageLoads {
  /** The server cannot draw a layer; called once for each. */
  onUndrawable(layer: MapLayer, reason: string): void
}

/** Creates the OpenLayers layers, from top to bottom, from images that the server draws. */
export function drawLayers(layers: readonly MapLayer[], options: LayerImages): DrawnLayer[] {
  return layers.map((layer, at) => {
    const { styleId: id, visibility: visible, opacity } = layer
    const onUndrawable = (reason: string) => {
      drawn.setSource(null)
      options.onUndrawable(layer, reason)
    }
    const images = openLoads(layer.label, { ...options, onUndrawable })
    const shared = { visible, opacity: opacity ?? 1, zIndex: layers.length - at, ...resolutionLimits(layer) }
    const drawn =
      layer.adapter === 'image'
        ? new ImageLayer<ViewImageSource>({
            ...shared,
            source: new ViewImageSource({ id, load: images.load }),
          })
        : new TileLayer<XYZ>({ ...shared, source: createTileImages({ id, load: images.load }) })
    images.onRecovered(() => {
      const source = drawn.getSource()
      if (source instanceof ViewImageSource) source.showRecovered()
      else drawn.changed()
    })
    return { layer, drawn }
  })
}

/** Loads of the images of a layer. */
export interface Loads {
  readonly load: Load
  /** Sets what is done when failed loads have succeeded. */
  onRecovered(redraw: () => void): void
}

interface LoadOptions extends ImageLoads {
  onUndrawable(reason: string): void
}

/** Opens the loads of a layer, which are retried until the server says that it cannot draw the layer. */
export function openLoads(label: string, { status, openRecovery, onUndrawable }: LoadOptions): Loads {
  let redraw = () => {}
  let isLost = false
  const recovery = openRecovery(label, () => redraw())
  const attempt = async (run: () => Promise<void>) => {
    try {
      await status.track(run())
    } catch (error) {
      if (!isUndrawable(error)) throw error
      if (!isLost) onUndrawable(reasonOf(error))
      isLost = true
    }
  }
  return {
    load: (key, run) => recovery.load(key, () => attempt(run)),
    onRecovered(action) {
      redraw = action
    },
  }
}
