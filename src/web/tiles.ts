import type Feature from 'ol/Feature'
import type { ReadOptions } from 'ol/format/Feature'
import MVT from 'ol/format/MVT'
import type { Geometry } from 'ol/geom'
import VectorTileLayer from 'ol/layer/VectorTile'
import VectorTileSource from 'ol/source/VectorTile'
import type Tile from 'ol/Tile'
import TileState from 'ol/TileState'
import type VectorTile from 'ol/VectorTile'
import { geometryParts } from '../contract/geometry.ts'
import { styleFunctionOf } from './paint.ts'
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
  return layers.map((layer, at) => {
    const source = sources.get(layer.layerId) ?? tilesOf(layer, status)
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

function tilesOf({ layerId, label, landform }: MapLayer, status: Status): VectorTileSource {
  const source = new VectorTileSource({
    format: new MVT(),
    maxZoom: 22,
    // The version makes it another address when the features change, so that no cache has the old ones.
    tileUrlFunction: ([z, x, y]) =>
      `/api/component/feature_layer/mvt?z=${z}&x=${x}&y=${y}&resource=${layerId}&v=${landform.dataVersion}`,
    tileLoadFunction: (tile, url) => loadTile(tile as VectorTileOf, url, onFault),
  })
  const onFault = (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    status.report(`${label} could not be drawn completely. ${reason}`, () => source.refresh())
  }
  trackTiles(source, status)
  return source
}

type VectorTileOf = VectorTile<Feature<Geometry>>

function loadTile(tile: VectorTileOf, url: string, onFault: (error: unknown) => void): void {
  tile.setLoader((extent, _resolution, featureProjection) => {
    ask(url)
      .then((response) => response.arrayBuffer())
      // Nothing to draw is answered with nothing.
      .then((bytes) => (bytes.byteLength === 0 ? [] : read(tile, bytes, { extent, featureProjection })))
      .then((features) => tile.setFeatures(features))
      .catch((error: unknown) => {
        tile.setState(TileState.ERROR)
        onFault(error)
      })
  })
}

function read(tile: VectorTileOf, bytes: ArrayBuffer, options: ReadOptions): Feature<Geometry>[] {
  return tile.getFormat().readFeatures(bytes, options) as Feature<Geometry>[]
}

/** Keeps the progress line up from a tile's start to its end. */
function trackTiles(source: VectorTileSource, status: Status): void {
  const waiting = new Map<Tile, () => void>()
  source.on('tileloadstart', ({ tile }) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting.set(tile, resolve)
    void status.track(promise)
  })
  const ended = ({ tile }: { tile: Tile }) => {
    waiting.get(tile)?.()
    waiting.delete(tile)
  }
  source.on('tileloadend', ended)
  source.on('tileloaderror', ended)
}
