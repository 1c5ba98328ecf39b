import type BaseLayer from 'ol/layer/Base'
import TileLayer from 'ol/layer/Tile'
import { get, type Projection } from 'ol/proj'
import type { TileSourceEvent } from 'ol/source/Tile'
import TileWMS from 'ol/source/TileWMS'
import type UrlTile from 'ol/source/UrlTile'
import XYZ from 'ol/source/XYZ'
import { createXYZ } from 'ol/tilegrid'
import TileGrid from 'ol/tilegrid/TileGrid'
import { type GeoserviceDetail, pageUrls } from '../../contract/catalog/catalog.ts'
import { isVectorTileUrl } from '../../contract/formats/tile_format.ts'
import type { LoadReports } from '../load_report.ts'
import { swapBbox, tileUrl } from '../tile_address.ts'
import { createFeatureLayer } from './preview_features.ts'
import { createVectorTileLayer } from './preview_vector_tiles.ts'
import { mayCover, type PreviewArea } from './preview_view.ts'

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
  area: PreviewArea,
  reports: LoadReports,
): BaseLayer | string {
  if (service.type === 'tms') return tmsLayer(service, area, reports)
  if (service.type === 'geojson') return createFeatureLayer(service.url, area, reports)
  if (service.type === 'wfs') return createFeatureLayer(wfsUrl(service), area, reports)
  if (!service.layers) return 'The record of this service names no layers, so it cannot be previewed.'
  const source = wmsSource(service, area.projection)
  reportTiles(source, area, reports)
  return new TileLayer({ source })
}

function tmsLayer(service: GeoserviceDetail, area: PreviewArea, reports: LoadReports): BaseLayer {
  const tiles = tilesOf(service, area.projection)
  // The grid has the tiles of the nearest zoom level.
  const minZoom = area.lowestZoom - 0.5
  if (isVectorTileUrl(service.url)) return createVectorTileLayer({ ...tiles, minZoom, area }, reports)
  const source = new XYZ(tiles)
  reportTiles(source, area, reports)
  return new TileLayer({ source, minZoom })
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

function tilesOf(service: GeoserviceDetail, view: Projection) {
  const { url, y_origin_top: isFromTop = false } = service
  const urls = pageUrls(service)
  const maxZoom = service.z_max ?? 22
  return {
    projection: view,
    tileGrid: view.getCode() === 'EPSG:4326' ? degreeGrid(maxZoom) : createXYZ({ maxZoom, tileSize }),
    tileUrlFunction: ([z = 0, x = 0, y = 0]: readonly number[]) =>
      tileUrl(urls[(x + y) % urls.length] ?? url, [z, x, y], isFromTop),
  }
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

function reportTiles(source: UrlTile, area: PreviewArea, { onLoad, onFault }: LoadReports): void {
  source.on('tileloadend', () => onLoad())
  source.on('tileloaderror', ({ tile }: TileSourceEvent) => {
    const grid = source.getTileGridForProjection(area.projection)
    if (mayCover(area, grid.getTileCoordExtent(tile.getTileCoord()))) onFault()
  })
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
