import type { Extent } from 'ol/extent'
import { getHeight, getWidth, intersects } from 'ol/extent'
import type OlMap from 'ol/Map'
import type { Projection } from 'ol/proj'
import View from 'ol/View'
import type { GeoserviceDetail } from '../../contract/catalog/catalog.ts'
import { type PreviewBoundary, worldAround, worldOf } from './preview_boundary.ts'

/** What a preview shows. */
export interface PreviewArea {
  readonly projection: Projection
  readonly boundary: PreviewBoundary | undefined
  /** Zoom level of the view at the lowest one of the tiles; below it a service would have to send all its tiles. */
  readonly lowestZoom: number
}

/** Returns what the preview of a service shows. */
export function areaOf(
  { z_min: lowest }: GeoserviceDetail,
  projection: Projection,
  boundary: PreviewBoundary | undefined,
): PreviewArea {
  return { projection, boundary, lowestZoom: lowest ? lowest + zoomOffset(projection) : 0 }
}

/** Tells whether a service may cover an extent: many have no tiles outside of their boundary. */
export function mayCover({ boundary }: PreviewArea, extent: Extent): boolean {
  return boundary === undefined || intersects(boundary.extent, extent)
}

/** Zoom levels of tiles in degrees begin with two tiles, those of views with one. */
const zoomOffset = (projection: Projection) => (projection.getCode() === 'EPSG:4326' ? 1 : 0)

/** Creates the view of a preview. With a boundary it zooms out until all of it is shown, even without tiles. */
export function createView({ z_max: highest }: GeoserviceDetail, area: PreviewArea): View {
  const { projection, boundary, lowestZoom } = area
  return new View({
    projection,
    center: [0, 0],
    zoom: lowestZoom,
    minZoom: boundary === undefined ? lowestZoom : 0,
    maxZoom: Math.max(lowestZoom, (highest ?? 20) + zoomOffset(projection) + 2),
    constrainOnlyCenter: true,
    smoothExtentConstraint: false,
    extent: worldAround(projection, boundary),
  })
}

/** Shows the whole boundary, or the world. */
export function showWhole(map: OlMap, { projection, boundary }: PreviewArea): void {
  fitExtent(map, boundary?.extent ?? worldOf(projection))
}

/** A part that is shown smaller than this, in pixels, cannot be recognized. */
const legiblePixels = 24

/** Shows the whole boundary; if it is too large for the tiles, or its parts are far apart, the largest part. */
export function showStart(map: OlMap, area: PreviewArea): void {
  showWhole(map, area)
  const { boundary, lowestZoom } = area
  const view = map.getView()
  const isTooLarge = (view.getZoom() ?? 0) < lowestZoom
  if (boundary === undefined) return
  const part = boundary.largest.getExtent()
  const pixels = Math.max(getWidth(part), getHeight(part)) / (view.getResolution() ?? 1)
  if (!isTooLarge && pixels >= legiblePixels) return
  fitExtent(map, part)
  if ((view.getZoom() ?? 0) >= lowestZoom) return
  view.setZoom(lowestZoom)
  view.setCenter(boundary.largest.getInteriorPoint().getCoordinates().slice(0, 2))
}

/** Shows an extent on the map. */
export function fitExtent(map: OlMap, extent: Extent): void {
  map.getView().fit(extent, { padding: [12, 12, 12, 12], maxZoom: 16, size: map.getSize() ?? [600, 300] })
}
