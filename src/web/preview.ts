import type { Extent } from 'ol/extent'
import Feature from 'ol/Feature'
import WKT from 'ol/format/WKT'
import VectorLayer from 'ol/layer/Vector'
import OlMap from 'ol/Map'
import { disableCoordinateWarning, type Projection, transformExtent } from 'ol/proj'
import VectorSource from 'ol/source/Vector'
import Stroke from 'ol/style/Stroke'
import Style from 'ol/style/Style'
import View from 'ol/View'
import type { GeoserviceDetail } from '../contract/catalog.ts'
import { mercatorMaxLatitude } from '../geo/mercator.ts'
import { element, iconButton } from './element.ts'
import { icons } from './icons.ts'
import { createInteractions } from './interactions.ts'
import { createServiceLayer, projectionOf } from './preview_layer.ts'
import { zoomBy } from './viewport.ts'

/** Shows a service on a map in a section of the page, or why that is not possible. */
export function showPreview(section: HTMLElement, service: GeoserviceDetail): void {
  const message = element('p', { role: 'status' })
  section.append(message)
  section.hidden = false
  const projection = projectionOf(service)
  if (typeof projection === 'string') {
    message.textContent = projection
    return
  }
  const reports = createReports(message)
  const layer = createServiceLayer(service, projection, reports)
  if (typeof layer === 'string') {
    message.textContent = layer
    return
  }
  const target = element('div', {
    class: 'map',
    tabindex: 0,
    role: 'application',
    'aria-label': `Map of ${service.name}`,
    'aria-description': 'Arrow keys move the map, plus and minus zoom.',
  })
  const stage = element('div', { class: 'stage' }, target)
  section.insertBefore(stage, message)
  // OpenLayers mistakes metres near 0° N 0° E for degrees, and warns.
  disableCoordinateWarning()
  const view = createView(service, projection)
  const map = new OlMap({ target, view, controls: [], interactions: createInteractions() })
  const showAll = () => fitExtent(map, extentOf(service, projection))
  showAll()
  map.addLayer(layer)
  const outline = outlineOf(service, projection)
  if (outline !== undefined) map.addLayer(outline)
  stage.append(createTools(map, showAll))
  if (layer instanceof VectorLayer && service.extent === null) fitFeatures(map, layer)
  announceDrawn(map, section)
}

/** Says that a service cannot be loaded, until a part of it is. */
function createReports(message: HTMLElement) {
  let isLoaded = false
  return {
    onLoad() {
      isLoaded = true
      message.textContent = ''
    },
    onFault(reason = '') {
      // Many services have no tiles outside of their area.
      if (!isLoaded) message.textContent = `This service cannot be loaded. ${reason}`.trim()
    },
  }
}

function createView({ z_min: lowest, z_max: highest }: GeoserviceDetail, projection: Projection): View {
  // Zoom levels of tiles in degrees begin with two tiles, those of views with one.
  const offset = projection.getCode() === 'EPSG:4326' ? 1 : 0
  const minZoom = lowest ? lowest + offset : 0
  return new View({
    projection,
    center: [0, 0],
    zoom: minZoom,
    // Below its lowest zoom level a service would have to send all its tiles.
    minZoom,
    maxZoom: Math.max(minZoom, (highest ?? 20) + offset + 2),
    constrainOnlyCenter: true,
    smoothExtentConstraint: false,
    extent: worldOf(projection),
  })
}

function worldOf(projection: Projection): Extent {
  return transformExtent([-180, -mercatorMaxLatitude, 180, mercatorMaxLatitude], 'EPSG:4326', projection)
}

function extentOf({ extent }: GeoserviceDetail, projection: Projection): Extent {
  const box = extent === null ? undefined : readEwkt(extent, projection)?.getExtent()
  return box?.every(Number.isFinite) ? box : worldOf(projection)
}

/** Parses EWKT in EPSG:4326. */
function readEwkt(text: string, projection: Projection) {
  const wkt = text.replace(/^SRID=4326;/, '')
  return new WKT().readGeometry(wkt, { dataProjection: 'EPSG:4326', featureProjection: projection })
}

function fitExtent(map: OlMap, extent: Extent): void {
  map.getView().fit(extent, { padding: [12, 12, 12, 12], maxZoom: 16, size: map.getSize() ?? [600, 300] })
}

function fitFeatures(map: OlMap, layer: VectorLayer): void {
  const source = layer.getSource()
  source?.once('change', () => {
    const extent = source.getExtent()
    if (extent?.every(Number.isFinite)) fitExtent(map, extent)
  })
}

const outlineStyle = [
  new Style({ stroke: new Stroke({ color: 'rgba(255,255,255,0.85)', width: 5 }) }),
  new Style({ stroke: new Stroke({ color: '#0b5cff', width: 2 }) }),
]

function outlineOf({ boundary }: GeoserviceDetail, projection: Projection): VectorLayer | undefined {
  if (boundary === null) return undefined
  const feature = new Feature(readEwkt(boundary, projection))
  return new VectorLayer({ source: new VectorSource({ features: [feature] }), style: outlineStyle })
}

function createTools(map: OlMap, showAll: () => void): HTMLElement {
  return element(
    'div',
    { class: 'tools', role: 'group', 'aria-label': 'Map tools' },
    iconButton('Zoom in', icons.plus, () => zoomBy(map, 1)),
    iconButton('Zoom out', icons.minus, () => zoomBy(map, -1)),
    iconButton('Whole service', icons.extent, showAll),
  )
}

/** Marks the section as completely drawn, with its view, for printing and browser tests. */
function announceDrawn(map: OlMap, section: HTMLElement): void {
  map.on('movestart', () => {
    section.dataset.drawn = 'false'
  })
  map.on('rendercomplete', () => {
    const view = map.getView()
    section.dataset.zoom = String(view.getZoom())
    section.dataset.center = (view.getCenter() ?? []).join(' ')
    section.dataset.drawn = 'true'
  })
}
