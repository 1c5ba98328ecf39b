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

/** Layer of the map with its OpenLayers layer. */
export interface DrawnLayer {
  readonly layer: MapLayer
  readonly drawn: VectorTileLayer
}

/** Creates the OpenLayers layers, from top to bottom. Layers with the same features share their tiles. */
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
      // Sharp between zoom levels too, where tile images would be scaled.
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
    // The version changes the URL with the features, so that caches do not return outdated tiles.
    tileUrlFunction: ([z, x, y]) =>
      `/api/component/feature_layer/mvt?z=${z}&x=${x}&y=${y}&resource=${layerId}&v=${landform.dataVersion}`,
    tileLoadFunction: (tile, url) => {
      const loading = tile as VectorTileOf
      loading.setLoader((extent, _resolution, featureProjection) =>
        recovery.load(url, () => status.track(loadTile(loading, url, { extent, featureProjection }))),
      )
    },
  })
  // OpenLayers does not notice a tile that was loaded later: render again.
  const recovery = openRecovery(label, () => source.refresh())
  return source
}

type VectorTileOf = VectorTile<Feature<Geometry>>

/** Loads a tile, also after a failure. */
async function loadTile(tile: VectorTileOf, url: string, options: ReadOptions): Promise<void> {
  if (tile.getState() === TileState.ERROR) tile.setState(TileState.LOADING)
  try {
    const bytes = await (await ask(url)).arrayBuffer()
    // An empty tile has no body.
    tile.setFeatures(bytes.byteLength === 0 ? [] : read(tile, bytes, options))
  } catch (error) {
    tile.setState(TileState.ERROR)
    throw error
  }
}

function read(tile: VectorTileOf, bytes: ArrayBuffer, options: ReadOptions): Feature<Geometry>[] {
  return tile.getFormat().readFeatures(bytes, options) as Feature<Geometry>[]
}
