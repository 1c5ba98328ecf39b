import type { Bbox } from '../../geo/bbox.ts'
import { mercatorMaxLatitude, mercatorOfLonLat } from '../../geo/mercator.ts'
import { announcedSystems, shortSrs } from '../reference_system.ts'
import { element, optionalElement, textElement, xmlDeclaration } from '../xml_text.ts'
import { maxRequestLayers } from './parse_wms.ts'
import type { WmsProtocol } from './wms_protocol.ts'
import {
  infoFormats,
  legendAddress,
  mapFormats,
  maxMapSize,
  styleName,
  type WmsLayer,
  type WmsService,
} from './wms_service.ts'

const xlink = { 'xmlns:xlink': 'http://www.w3.org/1999/xlink' }

/**
 * Writes the capabilities of a service in a version.
 *
 * @see OGC 01-068r3 clause 7.1.4 and annex A.1, OGC 06-042 clause 7.2.4 and annex E.1
 */
export function wmsCapabilities(service: WmsService, protocol: WmsProtocol): string {
  const isOld = protocol.version === '1.1.1'
  const content = [serviceElement(service, isOld), capabilityElement(service, protocol)]
  if (isOld)
    return `${xmlDeclaration}<!DOCTYPE WMT_MS_Capabilities SYSTEM "http://schemas.opengis.net/wms/1.1.1/WMS_MS_Capabilities.dtd">\n${element('WMT_MS_Capabilities', { version: '1.1.1' }, ...content)}`
  const sld = 'http://www.opengis.net/sld'
  const root = {
    version: '1.3.0',
    xmlns: 'http://www.opengis.net/wms',
    'xmlns:sld': sld,
    ...xlink,
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': `http://www.opengis.net/wms http://schemas.opengis.net/wms/1.3.0/capabilities_1_3_0.xsd ${sld} http://schemas.opengis.net/sld/1.1.0/sld_capabilities.xsd`,
  }
  return `${xmlDeclaration}${element('WMS_Capabilities', root, ...content)}`
}

function onlineResource(url: string): string {
  return element('OnlineResource', { ...xlink, 'xlink:type': 'simple', 'xlink:href': url })
}

function serviceElement({ title, abstract, url }: WmsService, isOld: boolean): string {
  return element(
    'Service',
    {},
    textElement('Name', isOld ? 'OGC:WMS' : 'WMS'),
    textElement('Title', title),
    optionalElement('Abstract', abstract),
    onlineResource(url),
    ...(isOld
      ? []
      : [
          textElement('LayerLimit', maxRequestLayers),
          textElement('MaxWidth', maxMapSize),
          textElement('MaxHeight', maxMapSize),
        ]),
  )
}

function capabilityElement(service: WmsService, protocol: WmsProtocol): string {
  const { url } = service
  const isOld = protocol.version === '1.1.1'
  const get = element('Get', {}, onlineResource(`${url}?`))
  const post = element('Post', {}, onlineResource(url))
  const address = element('DCPType', {}, element('HTTP', {}, get, post))
  const operation = (name: string, formats: readonly string[]) =>
    element(name, {}, ...formats.map((format) => textElement('Format', format)), address)
  const { xml, image, blank } = protocol.exceptions
  return element(
    'Capability',
    {},
    element(
      'Request',
      {},
      operation('GetCapabilities', [isOld ? 'application/vnd.ogc.wms_xml' : 'text/xml']),
      operation('GetMap', mapFormats),
      operation('GetFeatureInfo', infoFormats),
      operation(isOld ? 'GetLegendGraphic' : 'sld:GetLegendGraphic', mapFormats),
    ),
    element('Exception', {}, ...[xml, image, blank].map((form) => textElement('Format', form))),
    rootLayer(service, protocol),
  )
}

/** The world as EPSG:3857 shows it, in degrees. */
const world: Bbox = [-180, -mercatorMaxLatitude, 180, mercatorMaxLatitude]

function rootLayer(service: WmsService, protocol: WmsProtocol): string {
  const { title, layers } = service
  const isOld = protocol.version === '1.1.1'
  // Every layer inherits them.
  const names = announcedSystems(service.systems).map((code) => shortSrs(code).name)
  return element(
    'Layer',
    {},
    textElement('Title', title),
    ...[...names, ...(isOld ? [] : ['CRS:84'])].map((name) => textElement(protocol.crsName, name)),
    ...boxElements(world, isOld),
    ...layers.map((layer) => layerElement(service, layer, isOld)),
  )
}

/** Smallest size of an extent in degrees; some clients do not read boxes without area. */
const minSize = 1e-6

function boxElements(extent: Bbox, isOld: boolean): string[] {
  const [west, south] = extent
  const [east, north] = [Math.max(extent[2], west + minSize), Math.max(extent[3], south + minSize)]
  const box = (name: string, crs: string, [minx, miny, maxx, maxy]: readonly number[]) =>
    element('BoundingBox', { [name]: crs, minx, miny, maxx, maxy })
  const mercator = [...mercatorOfLonLat(west, south), ...mercatorOfLonLat(east, north)]
  if (isOld)
    return [
      element('LatLonBoundingBox', { minx: west, miny: south, maxx: east, maxy: north }),
      box('SRS', 'EPSG:4326', [west, south, east, north]),
      box('SRS', 'EPSG:3857', mercator),
    ]
  const edges = {
    westBoundLongitude: west,
    eastBoundLongitude: east,
    southBoundLatitude: south,
    northBoundLatitude: north,
  }
  return [
    element(
      'EX_GeographicBoundingBox',
      {},
      ...Object.entries(edges).map(([name, value]) => textElement(name, value)),
    ),
    box('CRS', 'CRS:84', [west, south, east, north]),
    box('CRS', 'EPSG:4326', [south, west, north, east]),
    box('CRS', 'EPSG:3857', mercator),
  ]
}

function layerElement(service: WmsService, layer: WmsLayer, isOld: boolean): string {
  const { name, title, abstract, extent, isQueryable } = layer
  return element(
    'Layer',
    { queryable: isQueryable ? 1 : 0 },
    textElement('Name', name),
    textElement('Title', title),
    optionalElement('Abstract', abstract),
    ...(extent === undefined ? [] : boxElements(clampToWorld(extent), isOld)),
    styleElement(service, layer),
    ...(isOld ? scaleHint(layer) : scaleLimits(layer)),
  )
}

/** Restricts an extent to valid degrees; data may extend beyond them. */
function clampToWorld([west, south, east, north]: Bbox): Bbox {
  const clamp = (value: number, limit: number) => Math.max(-limit, Math.min(limit, value))
  return [clamp(west, 180), clamp(south, 90), clamp(east, 180), clamp(north, 90)]
}

function styleElement({ url }: WmsService, { name, title, legendSize }: WmsLayer): string {
  const names = [textElement('Name', styleName), textElement('Title', title)]
  if (legendSize === undefined) return element('Style', {}, ...names)
  const legend = element(
    'LegendURL',
    { ...legendSize },
    textElement('Format', 'image/png'),
    onlineResource(legendAddress(url, name)),
  )
  return element('Style', {}, ...names, legend)
}

function scaleLimits({ smallestDenom, largestDenom }: WmsLayer): string[] {
  return [
    ...(smallestDenom === null ? [] : [textElement('MinScaleDenominator', smallestDenom)]),
    ...(largestDenom === null ? [] : [textElement('MaxScaleDenominator', largestDenom)]),
  ]
}

/** Writes scale limits as lengths of the diagonal of a pixel in metres. @see OGC 01-068r3 clause 7.1.4.5.16 */
function scaleHint({ smallestDenom, largestDenom }: WmsLayer): string[] {
  if (smallestDenom === null && largestDenom === null) return []
  const diagonal = (denom: number) => denom * 0.000_28 * Math.SQRT2
  return [
    element('ScaleHint', {
      min: smallestDenom === null ? 0 : diagonal(smallestDenom),
      max: largestDenom === null ? 1e9 : diagonal(largestDenom),
    }),
  ]
}
