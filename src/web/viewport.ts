import ScaleLine from 'ol/control/ScaleLine'
import type { Extent } from 'ol/extent'
import OlMap from 'ol/Map'
import View from 'ol/View'
import type { DegreeBox } from '../contract/webmap_config.ts'
import { lonLatOfMercator, mercatorOfLonLat } from '../geo/mercator.ts'
import type { AddressState } from './address.ts'

/** Half the width of the world in the units of the map. */
const [half] = mercatorOfLonLat(180, 0)
const world: Extent = [-half, -half, half, half]

/** What the map starts with. */
export interface ViewportOptions {
  readonly target: HTMLElement
  readonly scaleTarget: HTMLElement
  readonly initialExtent: DegreeBox
  readonly start: Partial<AddressState>
}

/** Makes the map, without layers, at the place where the address or the web map has it begin. */
export function createMap({ target, scaleTarget, initialExtent, start }: ViewportOptions): OlMap {
  const view = new View({
    extent: world,
    constrainOnlyCenter: true,
    smoothExtentConstraint: false,
    minZoom: 0,
    maxZoom: 22,
    center: [0, 0],
    zoom: 1,
  })
  const map = new OlMap({
    target,
    view,
    keyboardEventTarget: target,
    controls: [new ScaleLine({ target: scaleTarget, minWidth: 72 })],
  })
  view.fit(extentOf(initialExtent), { size: map.getSize() ?? [800, 600], padding: [16, 16, 16, 16] })
  if (start.lon !== undefined && start.lat !== undefined)
    view.setCenter(mercatorOfLonLat(start.lon, start.lat))
  if (start.zoom !== undefined) view.setZoom(start.zoom)
  if (start.angle !== undefined) view.setRotation((start.angle * Math.PI) / 180)
  return map
}

/** Gives a box of degrees in the units of the map; one that has no area gets some. */
export function extentOf([west, south, east, north]: DegreeBox): Extent {
  const [minX, minY] = mercatorOfLonLat(west, Math.min(south, north))
  const [maxX, maxY] = mercatorOfLonLat(east < west ? east + 360 : east, Math.max(south, north))
  const margin = maxX - minX < 1 && maxY - minY < 1 ? 1000 : 0
  return [minX - margin, minY - margin, maxX + margin, maxY + margin]
}

/** Gives where the map is, as its address has it. */
export function readPlace(map: OlMap): Omit<AddressState, 'styles'> {
  const view = map.getView()
  const [x = 0, y = 0] = view.getCenter() ?? []
  const [lon, lat] = lonLatOfMercator(x, y)
  return { lon, lat, zoom: view.getZoom() ?? 0, angle: (view.getRotation() * 180) / Math.PI }
}

/** Moves the map to a box, with some room around it. */
export function goTo(map: OlMap, extent: Extent): void {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  map.getView().fit(extent, { padding: [48, 48, 48, 48], maxZoom: 17, duration: still ? 0 : 350 })
}

/** Zooms by steps; negative ones go out. */
export function zoomBy(map: OlMap, steps: number): void {
  const view = map.getView()
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches
  view.animate({ zoom: (view.getConstrainedZoom(view.getZoom()) ?? 0) + steps, duration: still ? 0 : 200 })
}
