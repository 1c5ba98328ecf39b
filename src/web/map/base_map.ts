import type ImageTile from 'ol/ImageTile'
import TileLayer from 'ol/layer/Tile'
import type OlMap from 'ol/Map'
import XYZ from 'ol/source/XYZ'
import type Tile from 'ol/Tile'
import TileState from 'ol/TileState'
import type { ConfigBasemap } from '../../contract/bodies/webmap_config.ts'
import type { Status } from '../catalog/status.ts'
import { tileUrl } from '../tile_address.ts'
import { type ImageLoads, openLoads } from './image_loads.ts'
import { durationOf } from './interactions.ts'
import { retryTiles } from './retry_tiles.ts'
import { TileImageSource } from './tile_images.ts'

/** The base map below the layers. */
export interface BaseMap {
  /** The one that is shown; undefined for none. */
  shown(): ConfigBasemap | undefined
  /** Shows one in place of the other; undefined for none. */
  show(basemap: ConfigBasemap | undefined): void
}

/** Options of base maps. */
export interface BaseMapOptions extends ImageLoads {
  readonly map: OlMap
  /** Another base map is shown. */
  onChange(): void
}

/** Creates the place of the base map, which is empty. */
export function createBaseMap({ map, onChange, ...loads }: BaseMapOptions): BaseMap {
  const made = new Map<ConfigBasemap, TileLayer<XYZ>>()
  let current: ConfigBasemap | undefined
  const layerOf = (basemap: ConfigBasemap) => {
    const layer = made.get(basemap) ?? createLayer(basemap, loads)
    if (!made.has(basemap)) map.addLayer(layer)
    made.set(basemap, layer)
    return layer
  }
  return {
    shown: () => current,
    show(basemap) {
      if (current !== undefined) made.get(current)?.setVisible(false)
      current = basemap
      if (basemap !== undefined) layerOf(basemap).setVisible(true)
      onChange()
    },
  }
}

function createLayer(basemap: ConfigBasemap, loads: ImageLoads): TileLayer<XYZ> {
  const { opacity, minZoom } = basemap
  const layer = new TileLayer<XYZ>({
    opacity,
    zIndex: 0,
    // Below the lowest level of its tiles, a view would need too many of them. The limit itself is not included.
    ...(minZoom === null ? {} : { minZoom: minZoom - 0.5 }),
  })
  const status = statusWhileShown(layer, loads.status)
  layer.setSource(
    isDirect(basemap)
      ? directTiles(basemap, status)
      : serverTiles(basemap, { loads: { ...loads, status }, layer }),
  )
  return layer
}

/** Removes the faults of a base map when another one is shown in its place. */
function statusWhileShown(layer: TileLayer<XYZ>, status: Status): Status {
  const dismissals: (() => void)[] = []
  layer.on('change:visible', () => {
    if (!layer.getVisible()) for (const dismiss of dismissals.splice(0)) dismiss()
  })
  return {
    ...status,
    report(...fault) {
      const dismiss = status.report(...fault)
      dismissals.push(dismiss)
      return dismiss
    },
  }
}

/** Browsers load no images over HTTP into pages over HTTPS. */
function isDirect({ urls }: ConfigBasemap): boolean {
  const isSecure = location.protocol === 'https:'
  return urls.length > 0 && !(isSecure && urls.some((url) => /^http:/i.test(url)))
}

const zoomRange = ({ minZoom, maxZoom }: ConfigBasemap) => ({ minZoom: minZoom ?? 0, maxZoom: maxZoom ?? 22 })

/** Tiles from their service. Tiles above its highest zoom level are enlarged. */
function directTiles(basemap: ConfigBasemap, status: Status): XYZ {
  const { label, urls } = basemap
  const source = new XYZ({
    ...zoomRange(basemap),
    transition: durationOf(200),
    tileUrlFunction: ([z = 0, x = 0, y = 0]) => tileUrl(urls[(x + y) % urls.length] ?? '', [z, x, y], true),
    tileLoadFunction: (tile, url) => {
      const image = (tile as ImageTile).getImage() as HTMLImageElement
      // Some services answer only pages that tell their site. The address of the map is not sent.
      image.referrerPolicy = 'strict-origin-when-cross-origin'
      image.src = url
    },
  })
  source.on('tileloadstart', ({ tile }) => void status.track(untilLoaded(tile)))
  reportAbsence(source, label, status)
  retryTiles(source)
  return source
}

/** Waits until a tile is loaded, has failed or is not needed any more. */
function untilLoaded(tile: Tile): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      if (tile.getState() === TileState.LOADING) return
      tile.removeEventListener('change', settle)
      resolve()
    }
    tile.addEventListener('change', settle)
  })
}

/** Reports that no tile could be loaded: where some can, the others are places that the service does not have. */
function reportAbsence(source: XYZ, label: string, status: Status): void {
  let [hasLoaded, isReported] = [false, false]
  let withdraw = () => {}
  source.on('tileloadend', () => {
    hasLoaded = true
    withdraw()
  })
  source.on('tileloaderror', () => {
    if (hasLoaded || isReported) return
    isReported = true
    withdraw = status.report(`Cannot load the base map ${label}.`)
  })
}

interface ServerTiles {
  readonly loads: ImageLoads
  readonly layer: TileLayer<XYZ>
}

/** Tiles that the server draws. */
function serverTiles(basemap: ConfigBasemap, { loads, layer }: ServerTiles): XYZ {
  const { id, label } = basemap
  const report = (reason: string) => loads.status.report(`Cannot show the base map ${label}. ${reason}`)
  const images = openLoads(() => label, { ...loads, onUndrawable: report })
  images.onRecovered(() => layer.changed())
  const source = new TileImageSource({ load: images.load, ...zoomRange(basemap) })
  source.setResources(String(id), () => ({ resource: id }))
  return source
}
