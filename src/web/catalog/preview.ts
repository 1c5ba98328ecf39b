import Feature from 'ol/Feature'
import VectorLayer from 'ol/layer/Vector'
import OlMap from 'ol/Map'
import { disableCoordinateWarning } from 'ol/proj'
import VectorSource from 'ol/source/Vector'
import Stroke from 'ol/style/Stroke'
import Style from 'ol/style/Style'
import type { GeoserviceDetail } from '../../contract/catalog/catalog.ts'
import { element, iconButton } from '../element.ts'
import { createReports } from '../load_report.ts'
import { createInteractions } from '../map/interactions.ts'
import { zoomBy } from '../map/viewport.ts'
import { icons } from './icons.ts'
import { type PreviewBoundary, readBoundary } from './preview_boundary.ts'
import { createServiceLayer, projectionOf } from './preview_layer.ts'
import { areaOf, createView, fitExtent, showStart, showWhole } from './preview_view.ts'

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
  const boundary = service.boundary === null ? undefined : readBoundary(service.boundary, projection)
  const area = areaOf(service, projection, boundary)
  const layer = createServiceLayer(service, area, createReports(message))
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
  const view = createView(service, area)
  const map = new OlMap({ target, view, controls: [], interactions: createInteractions() })
  showStart(map, area)
  map.addLayer(layer)
  if (boundary !== undefined) map.addLayer(outlineLayer(boundary))
  stage.append(createTools(map, () => showWhole(map, area)))
  if (layer instanceof VectorLayer && boundary === undefined) fitFeatures(map, layer)
  else announceLowestZoom(map, stage, area.lowestZoom)
  announceDrawn(map, section)
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

function outlineLayer({ outline }: PreviewBoundary): VectorLayer {
  const source = new VectorSource({ features: [new Feature(outline)] })
  return new VectorLayer({ source, style: outlineStyle })
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

/** Says that there are no tiles while the view is below their lowest zoom level. */
function announceLowestZoom(map: OlMap, stage: HTMLElement, lowestZoom: number): void {
  const hint = element('p', { class: 'hint', hidden: true }, 'Zoom in to see the tiles.')
  stage.append(hint)
  const update = () => {
    hint.hidden = (map.getView().getZoom() ?? 0) > lowestZoom - 0.5
  }
  map.on('moveend', update)
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
