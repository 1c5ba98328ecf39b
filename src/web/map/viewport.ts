import ScaleLine from 'ol/control/ScaleLine'
import { type Extent, scaleFromCenter } from 'ol/extent'
import OlMap from 'ol/Map'
import type MapBrowserEvent from 'ol/MapBrowserEvent'
import { disableCoordinateWarning } from 'ol/proj'
import View from 'ol/View'
import type { DegreeBox } from '../../contract/bodies/webmap_config.ts'
import { longitudeRange } from '../../geo/longitude_range.ts'
import { lonLatOfMercator, mercatorOfLonLat } from '../../geo/mercator.ts'
import type { AddressState } from '../address.ts'
import { element } from '../element.ts'
import { createInteractions, durationOf, settleZoom } from './interactions.ts'

/** Half the width of the world in map units. */
const [half] = mercatorOfLonLat(180, 0)

/** Places of the center of the map: worlds are repeated to the east and west without an end. */
const places: Extent = [Number.NEGATIVE_INFINITY, -half, Number.POSITIVE_INFINITY, half]

/** Options of the map. */
export interface ViewportOptions {
  readonly target: HTMLElement
  readonly scaleTarget: HTMLElement
  readonly initialExtent: DegreeBox
  readonly start: Partial<AddressState>
}

/** Creates the map without layers, at the view of the URL or the initial extent. */
export function createMap({ target, scaleTarget, initialExtent, start }: ViewportOptions): OlMap {
  // OpenLayers mistakes metres near 0° N 0° E for degrees, and warns.
  disableCoordinateWarning()
  const view = new View({
    extent: places,
    // Between zoom levels, images and their symbols would be scaled.
    constrainResolution: true,
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
    interactions: createInteractions((event) => !isInPanel(event)),
    keyboardEventTarget: document,
    controls: [new ScaleLine({ target: scaleTarget, minWidth: 72 })],
  })
  view.fit(homeExtent(initialExtent), { ...homeFit, size: map.getSize() ?? [800, 600] })
  if (start.lon !== undefined && start.lat !== undefined)
    view.setCenter(mercatorOfLonLat(start.lon, start.lat))
  if (start.zoom !== undefined) view.setZoom(start.zoom)
  if (start.angle !== undefined) view.setRotation((start.angle * Math.PI) / 180)
  return map
}

/** Arrow keys scroll a panel that has the focus. */
function isInPanel({ originalEvent: { target } }: MapBrowserEvent): boolean {
  return target instanceof Element && target.closest('.panel, .features') !== null
}

/** Converts a box in degrees to map units, with its center inside the world and a minimum size. */
function extentOf([west, south, east, north]: DegreeBox): Extent {
  const end = east < west ? east + 360 : east
  const turn = (west + end) / 2 > 180 ? -360 : 0
  const [minX, minY] = mercatorOfLonLat(west + turn, Math.min(south, north))
  const [maxX, maxY] = mercatorOfLonLat(end + turn, Math.max(south, north))
  const margin = maxX - minX < 1 && maxY - minY < 1 ? 1000 : 0
  return [minX - margin, minY - margin, maxX + margin, maxY + margin]
}

/**
 * Converts a box in degrees to the extent that a view of it shows. Of the whole world, this is a part in the middle: with zoom
 * levels of whole numbers, all of it is often half as large as the window, and the map repeats itself beside it.
 */
export function viewExtentOf(box: DegreeBox): Extent {
  const [west, south, east, north] = box
  const span = east < west ? east - west + 360 : east - west
  if (span < worldSpan) return extentOf(box)
  const center = west + span / 2
  const isAcross = south < 0 && north > 0
  const [low, high] = isAcross ? [Math.max(south, -inhabited), Math.min(north, inhabited)] : [south, north]
  return extentOf([center - worldPart / 2, low, center + worldPart / 2, high])
}

/** Degrees of longitude from which an extent is the whole world, and those of its middle part. */
const [worldSpan, worldPart] = [340, 240]

/** Latitude in whose limits nearly all data of the world are. */
const inhabited = 66

/** Returns the view of the map for the URL, in the world itself. */
export function readPlace(map: OlMap): Omit<AddressState, 'styles'> {
  const view = map.getView()
  const [x = 0, y = 0] = view.getCenter() ?? []
  const [lon, lat] = lonLatOfMercator(wrapX(x), y)
  const angle = ((view.getRotation() * 180) / Math.PI) % 360
  return { lon, lat, zoom: view.getZoom() ?? 0, angle }
}

/** Wraps an x coordinate of a repeated world into the world. */
export function wrapX(x: number): number {
  return x - 2 * half * Math.floor((x + half) / (2 * half))
}

/** Part of the initial extent that is shown at least: for a few pixels, a map does not open a zoom level farther out. */
const homePart = 0.9

function homeExtent(box: DegreeBox): Extent {
  const extent = viewExtentOf(box)
  scaleFromCenter(extent, homePart)
  return extent
}

const homeFit = { padding: [16, 16, 16, 16] }

/** Moves the map to the initial extent, north up. */
export function goHome(map: OlMap, initialExtent: DegreeBox): void {
  map.getView().setRotation(0)
  map.getView().fit(nearestCopy(map, homeExtent(initialExtent)), { ...homeFit, duration: durationOf(350) })
}

/**
 * Returns the extent of the parts of a geometry. Those on both sides of the antimeridian, such as those of a polygon that is
 * divided there, are side by side in it, with its center inside the world.
 */
export function joinParts(parts: readonly Extent[]): Extent {
  const toDegrees = (x: number) => Math.max(-180, Math.min(180, (x / half) * 180))
  const [west, east] = longitudeRange(
    parts.map(([minX = 0, , maxX = 0]) => [toDegrees(minX), toDegrees(maxX)]),
  )
  const turn = (west + east) / 2 > 180 ? -360 : 0
  const toMetres = (degrees: number) => ((degrees + turn) / 180) * half
  const south = Math.min(...parts.map(([, minY = 0]) => minY))
  const north = Math.max(...parts.map(([, , , maxY = 0]) => maxY))
  return [toMetres(west), south, toMetres(east), north]
}

/** Moves an extent into the copy of the world in which it is nearest to the center of the map. */
function nearestCopy(map: OlMap, [minX = 0, minY = 0, maxX = 0, maxY = 0]: Extent): Extent {
  const [x = 0] = map.getView().getCenter() ?? []
  const shift = 2 * half * Math.round((x - (minX + maxX) / 2) / (2 * half))
  return [minX + shift, minY, maxX + shift, maxY]
}

/** Moves the map to an extent, with padding for the cards on the map. */
export function goTo(map: OlMap, extent: Extent): void {
  map
    .getView()
    .fit(nearestCopy(map, extent), { padding: freePadding(), maxZoom: 17, duration: durationOf(350) })
}

/** Returns the padding at the top, right, bottom and left that keeps the extent clear of the cards on the map. */
function freePadding(): number[] {
  const room = 32
  const taken = [0, 0, 0, 0]
  const window = [innerHeight, innerWidth, innerHeight, innerWidth]
  for (const card of document.querySelectorAll('.card:not([hidden])')) {
    const { top, right, bottom, left } = card.getBoundingClientRect()
    const reaches = [bottom, innerWidth - left, innerHeight - top, right]
    const parts = reaches.map((reach, side) => reach / (window[side] ?? 1))
    // A card pads the side that leaves the most space.
    const side = parts.indexOf(Math.min(...parts))
    taken[side] = Math.max(taken[side] ?? 0, reaches[side] ?? 0)
  }
  const [top = 0, right = 0, bottom = 0, left = 0] = taken
  const isFree = innerWidth - left - right > 3 * room && innerHeight - top - bottom > 3 * room
  return taken.map((reach) => (isFree ? reach : 0) + room)
}

/** Moves the map so that a place is seen which a card covers, or nearly. */
export function uncover(map: OlMap, card: HTMLElement, place: readonly number[]): void {
  const [x, y] = map.getPixelFromCoordinate([...place]) ?? []
  const [width = 0, height = 0] = map.getSize() ?? []
  if (x === undefined || y === undefined || !isNear(card.getBoundingClientRect(), x, y)) return
  const [top = 0, right = 0, bottom = 0, left = 0] = freePadding()
  const moved = [between(left, x, width - right) - x, between(top, y, height - bottom) - y] as const
  const center = map.getCoordinateFromPixel([width / 2 - moved[0], height / 2 - moved[1]])
  map.getView().animate({ center, duration: durationOf(200) })
}

/** Pixels around a card in which a symbol is cut. */
const cardMargin = 16

function isNear({ left, right, top, bottom }: DOMRect, x: number, y: number): boolean {
  const isBeside = x < left - cardMargin || x > right + cardMargin
  return !isBeside && y >= top - cardMargin && y <= bottom + cardMargin
}

function between(least: number, value: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}

/** Zooms by steps; negative steps zoom out. */
export function zoomBy(map: OlMap, steps: number): void {
  const view = map.getView()
  settleZoom(view)
  view.animate({
    zoom: (view.getConstrainedZoom(view.getZoom()) ?? 0) + steps,
    duration: durationOf(200),
  })
}

/** Rotates north up, the shorter way. */
export function turnNorth(map: OlMap): void {
  const view = map.getView()
  const turn = 2 * Math.PI
  view.setRotation(view.getRotation() - turn * Math.round(view.getRotation() / turn))
  view.animate({ rotation: 0, duration: durationOf(200) })
}

/** Creates the line with the pointer position, in degrees. */
export function createPosition(map: OlMap): HTMLElement {
  const line = element('p', { class: 'position', 'aria-hidden': 'true' })
  map.on('pointermove', ({ coordinate: [x = 0, y = 0] }) => {
    const [lon, lat] = lonLatOfMercator(x, y)
    line.textContent = formatPosition(lon, lat)
  })
  map.getViewport()?.addEventListener('pointerleave', () => {
    line.textContent = ''
  })
  return line
}

/** Formats a position: latitude, then longitude, with hemispheres. */
function formatPosition(lon: number, lat: number): string {
  const wrapped = ((((lon + 180) % 360) + 360) % 360) - 180
  return `${degrees(lat, 'N', 'S')} ${degrees(wrapped, 'E', 'W')}`
}

function degrees(value: number, positive: string, negative: string): string {
  return `${Math.abs(value).toFixed(4)}° ${value < 0 ? negative : positive}`
}
