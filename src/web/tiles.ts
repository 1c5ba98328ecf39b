import type Feature from 'ol/Feature'
import type { ReadOptions } from 'ol/format/Feature'
import MVT from 'ol/format/MVT'
import type { Geometry } from 'ol/geom'
import VectorTileLayer from 'ol/layer/VectorTile'
import VectorTileSource from 'ol/source/VectorTile'
import TileState from 'ol/TileState'
import type VectorTile from 'ol/VectorTile'
import { geometryParts } from '../contract/geometry.ts'
import { styleFunctionOf } from './paint.ts'
import { createRecovery, type OpenRecovery } from './recovery.ts'
import { ask } from './request.ts'
import type { Status } from './status.ts'
import { type MapLayer, resolutionOf } from './tree_walk.ts'

/** A layer of the map with what the map library draws. */
export interface DrawnLayer {
  readonly layer: MapLayer
  readonly drawn: VectorTileLayer
}

/** Makes what draws the layers, the uppermost first. Layers with the same features share their tiles. */
export function drawLayers(layers: readonly MapLayer[], status: Status): DrawnLayer[] {
  const sources = new Map<number, VectorTileSource>()
  const drawing = { status, openRecovery: createRecovery(status) }
  return layers.map((layer, at) => {
    const source = sources.get(layer.layerId) ?? tilesOf(layer, drawing)
    sources.set(layer.layerId, source)
    const { minScaleDenom, maxScaleDenom, opacity, landform } = layer
    const drawn = new VectorTileLayer({
      source,
      style: styleFunctionOf(landform.style, geometryParts(landform.geometryType).family),
      visible: layer.visibility,
      opacity: opacity ?? 1,
      zIndex: layers.length - at,
      // Sharp between the zoom levels too, where pictures of tiles would be stretched.
      renderMode: 'vector',
      ...(minScaleDenom === null ? {} : { maxResolution: resolutionOf(minScaleDenom) }),
      ...(maxScaleDenom === null ? {} : { minResolution: resolutionOf(maxScaleDenom) }),
    })
    return { layer, drawn }
  })
}

interface Drawing {
  readonly status: Status
  readonly openRecovery: OpenRecovery
}

function tilesOf(
  { layerId, label, landform }: MapLayer,
  { status, openRecovery }: Drawing,
): VectorTileSource {
  const source = new VectorTileSource({
    format: new MVT(),
    maxZoom: 22,
    // The version makes it another address when the features change, so that no cache has the old ones.
    tileUrlFunction: ([z, x, y]) =>
      `/api/component/feature_layer/mvt?z=${z}&x=${x}&y=${y}&resource=${layerId}&v=${landform.dataVersion}`,
    tileLoadFunction: (tile, url) => {
      const loading = tile as VectorTileOf
      loading.setLoader((extent, _resolution, featureProjection) =>
        recovery.load(url, () => status.track(loadTile(loading, url, { extent, featureProjection }))),
      )
    },
  })
  // What the library drew without a tile it draws anew: it would not notice that the tile has come.
  const recovery = openRecovery(label, () => source.refresh())
  return source
}

type VectorTileOf = VectorTile<Feature<Geometry>>

/** Loads a tile, which may have failed before. */
async function loadTile(tile: VectorTileOf, url: string, options: ReadOptions): Promise<void> {
  if (tile.getState() === TileState.ERROR) tile.setState(TileState.LOADING)
  try {
    const bytes = await (await ask(url)).arrayBuffer()
    // Nothing to draw is answered with nothing.
    tile.setFeatures(bytes.byteLength === 0 ? [] : read(tile, bytes, options))
  } catch (error) {
    tile.setState(TileState.ERROR)
    throw error
  }
}

function read(tile: VectorTileOf, bytes: ArrayBuffer, options: ReadOptions): Feature<Geometry>[] {
  return tile.getFormat().readFeatures(bytes, options) as Feature<Geometry>[]
}
