import type Collection from 'ol/Collection'
import ScaleLine from 'ol/control/ScaleLine'
import { noModifierKeys, platformModifierKey } from 'ol/events/condition'
import type { Extent } from 'ol/extent'
import DragPan from 'ol/interaction/DragPan'
import { defaults } from 'ol/interaction/defaults'
import type Interaction from 'ol/interaction/Interaction'
import KeyboardPan from 'ol/interaction/KeyboardPan'
import KeyboardZoom from 'ol/interaction/KeyboardZoom'
import Kinetic from 'ol/Kinetic'
import OlMap from 'ol/Map'
import type MapBrowserEvent from 'ol/MapBrowserEvent'
import { disableCoordinateWarning } from 'ol/proj'
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
  // The library takes metres near 0° N 0° E for degrees, and warns.
  disableCoordinateWarning()
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
    interactions: createInteractions(),
    keyboardEventTarget: document,
    controls: [new ScaleLine({ target: scaleTarget, minWidth: 72 })],
  })
  view.fit(extentOf(initialExtent), { size: map.getSize() ?? [800, 600], padding: [16, 16, 16, 16] })
  if (start.lon !== undefined && start.lat !== undefined)
    view.setCenter(mercatorOfLonLat(start.lon, start.lat))
  if (start.zoom !== undefined) view.setZoom(start.zoom)
  if (start.angle !== undefined) view.setRotation((start.angle * Math.PI) / 180)
  return map
}

/** Wheel, drag, touch and keys move the map whatever has the focus: nothing else on the page could be meant by them. */
function createInteractions(): Collection<Interaction> {
  const zoomDuration = durationOf(250)
  const interactions = defaults({ onFocusOnly: false, dragPan: false, keyboard: false, zoomDuration })
  const kinetic = prefersStill() ? {} : { kinetic: new Kinetic(-0.005, 0.05, 100) }
  const duration = durationOf(100)
  interactions.extend([
    new DragPan(kinetic),
    new KeyboardPan({ duration, condition: (event) => noModifierKeys(event) && !isInPanel(event) }),
    new KeyboardZoom({ duration, condition: (event) => !platformModifierKey(event) }),
  ])
  return interactions
}

/** Arrow keys scroll a panel that has the focus. */
function isInPanel({ originalEvent: { target } }: MapBrowserEvent): boolean {
  return target instanceof Element && target.closest('.panel, .features') !== null
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
  const angle = ((view.getRotation() * 180) / Math.PI) % 360
  return { lon, lat, zoom: view.getZoom() ?? 0, angle }
}

/** Moves the map to a box, with some room around it. */
export function goTo(map: OlMap, extent: Extent): void {
  map.getView().fit(extent, { padding: [48, 48, 48, 48], maxZoom: 17, duration: durationOf(350) })
}

/** Zooms by steps; negative ones go out. */
export function zoomBy(map: OlMap, steps: number): void {
  const view = map.getView()
  view.animate({
    zoom: (view.getConstrainedZoom(view.getZoom()) ?? 0) + steps,
    duration: durationOf(200),
  })
}

/** Turns north up, the short way. */
export function turnNorth(map: OlMap): void {
  const view = map.getView()
  const turn = 2 * Math.PI
  view.setRotation(view.getRotation() - turn * Math.round(view.getRotation() / turn))
  view.animate({ rotation: 0, duration: durationOf(200) })
}

function prefersStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}

/** Gives how many milliseconds a movement takes: none for users who have asked for less of it. */
function durationOf(milliseconds: number): number {
  return prefersStill() ? 0 : milliseconds
}
