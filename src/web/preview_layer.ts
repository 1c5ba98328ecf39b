import GeoJSON from 'ol/format/GeoJSON'
import type BaseLayer from 'ol/layer/Base'
import TileLayer from 'ol/layer/Tile'
import VectorLayer from 'ol/layer/Vector'
import { get, type Projection } from 'ol/proj'
import TileWMS from 'ol/source/TileWMS'
import type UrlTile from 'ol/source/UrlTile'
import VectorSource from 'ol/source/Vector'
import XYZ from 'ol/source/XYZ'
import { createXYZ } from 'ol/tilegrid'
import TileGrid from 'ol/tilegrid/TileGrid'
import type { GeoserviceDetail } from '../contract/catalog.ts'
import { readLimited } from './limited_response.ts'
import { swapBbox, tileUrl } from './tile_address.ts'

/** Reports whether a service can be loaded. */
export interface LoadReports {
  onLoad(): void
  /** A part cannot be loaded; `reason` is absent if browsers do not tell it. */
  onFault(reason?: string): void
}

/** Returns the projection of the preview, or the reason why there is none. */
export function projectionOf({ type, epsg }: GeoserviceDetail): Projection | string {
  // GeoJSON is in degrees, and drawn on the usual map.
  if (type === 'geojson' || type === 'wfs')
    return epsg === null || known.includes(epsg) ? projection(3857) : unknownSystem(epsg)
  const code = epsg ?? 3857
  return known.includes(code) ? projection(code) : unknownSystem(code)
}

const known: readonly number[] = [3857, 4326]

const unknownSystem = (epsg: number) => `Services in EPSG:${epsg} cannot be previewed.`

function projection(code: number): Projection {
  return get(`EPSG:${code}`) as Projection
}

/** Creates the layer of a service, or returns the reason why it cannot be previewed. */
export function createServiceLayer(
  service: GeoserviceDetail,
  view: Projection,
  reports: LoadReports,
): BaseLayer | string {
  if (service.type === 'tms') return tiles(tmsSource(service, view), reports)
  if (service.type === 'geojson') return features(service.url, view, reports)
  if (service.type === 'wfs') return features(wfsUrl(service), view, reports)
  if (!service.layers) return 'The record of this service names no layers, so it cannot be previewed.'
  return tiles(wmsSource(service, view), reports)
}

/** Width of a tile in pixels. */
const tileSize = 256

/** Tile grid of EPSG:4326 with two tiles at zoom level 0. @see OSGeo Tile Map Service, profile global-geodetic */
const degreeGrid = (maxZoom: number) =>
  new TileGrid({
    extent: [-180, -90, 180, 90],
    resolutions: Array.from({ length: maxZoom + 1 }, (_, z) => 180 / tileSize / 2 ** z),
    tileSize,
  })

function tmsSource(service: GeoserviceDetail, view: Projection): XYZ {
  const { url, alt_urls: others = [], y_origin_top: isFromTop = false } = service
  const urls = others.length === 0 ? [url] : others
  const maxZoom = service.z_max ?? 22
  return new XYZ({
    projection: view,
    tileGrid: view.getCode() === 'EPSG:4326' ? degreeGrid(maxZoom) : createXYZ({ maxZoom, tileSize }),
    tileUrlFunction: ([z = 0, x = 0, y = 0]) =>
      tileUrl(urls[(x + y) % urls.length] ?? url, [z, x, y], isFromTop),
  })
}

function wmsSource(service: GeoserviceDetail, view: Projection): TileWMS {
  const { url, params, layers, format, turn_over: isSwapped = false } = service
  const given = [...new URLSearchParams(params ?? '')].map(([name, value]) => [name.toUpperCase(), value])
  const isImage = format == null || /^image\/(png|jpe?g|gif|svg)/.test(format)
  return new TileWMS({
    url,
    projection: view,
    params: {
      TRANSPARENT: true,
      ...Object.fromEntries(given),
      LAYERS: layers ?? '',
      FORMAT: (isImage && format) || 'image/png',
    },
    ...(isSwapped
      ? { tileLoadFunction: (tile, src) => setSource(tile as unknown as LoadedTile, swapBbox(src)) }
      : {}),
  })
}

interface LoadedTile {
  getImage(): HTMLImageElement
}

function setSource(tile: LoadedTile, url: string): void {
  tile.getImage().src = url
}

function tiles(source: UrlTile, { onLoad, onFault }: LoadReports): BaseLayer {
  source.on('tileloadend', onLoad)
  source.on('tileloaderror', () => onFault())
  return new TileLayer({ source: source as XYZ })
}

/** Maximum number of features of a WFS in a preview. */
const maxFeatures = 1000

function wfsUrl({ url, layer = '' }: GeoserviceDetail): string {
  const address = new URL(url)
  const parameters = {
    SERVICE: 'WFS',
    VERSION: '2.0.0',
    REQUEST: 'GetFeature',
    TYPENAMES: layer,
    COUNT: String(maxFeatures),
    SRSNAME: 'EPSG:4326',
    OUTPUTFORMAT: 'application/json',
  }
  for (const name of [...address.searchParams.keys()])
    if (Object.hasOwn(parameters, name.toUpperCase())) address.searchParams.delete(name)
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
  return address.href
}

function features(url: string, view: Projection, { onLoad, onFault }: LoadReports): BaseLayer {
  const source = new VectorSource({
    // The map is not complete until the promise is fulfilled.
    async loader() {
      try {
        const found = await readFeatures(url, view)
        onLoad()
        return found
      } catch (error) {
        onFault(error instanceof Error ? error.message : String(error))
        return []
      }
    },
  })
  return new VectorLayer({ source })
}

async function readFeatures(url: string, view: Projection) {
  const text = await readLimited(url)
  const format = new GeoJSON()
  try {
    return format.readFeatures(text, { featureProjection: view })
  } catch {
    throw new Error('The response is not GeoJSON.')
  }
}
