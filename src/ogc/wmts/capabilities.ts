import { mercatorMaxLatitude } from '../../geo/mercator.ts'
import {
  infoFormats,
  legendAddress,
  mapFormats,
  styleName,
  type WmsLayer,
  type WmsService,
} from '../wms/wms_service.ts'
import { element, optionalElement, textElement, xmlDeclaration } from '../xml_text.ts'
import { matrixSetElement, matrixSets } from './matrix_set.ts'
import { resourceTemplates, wmtsVersion } from './parse_wmts.ts'

/** Address of the schemas of OWS and WMTS. */
const schema = 'http://schemas.opengis.net/wmts/1.0/wmtsGetCapabilities_response.xsd'

/**
 * Writes the capabilities of a service, for requests of keyword-value pairs and of paths.
 *
 * @see OGC 07-057r7 clause 7.1
 */
export function wmtsCapabilities(service: WmsService): string {
  const { url, layers, title, abstract } = service
  const root = {
    version: wmtsVersion,
    xmlns: 'http://www.opengis.net/wmts/1.0',
    'xmlns:ows': 'http://www.opengis.net/ows/1.1',
    'xmlns:xlink': 'http://www.w3.org/1999/xlink',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xsi:schemaLocation': `http://www.opengis.net/wmts/1.0 ${schema}`,
  }
  const identification = element(
    'ows:ServiceIdentification',
    {},
    textElement('ows:Title', title),
    optionalElement('ows:Abstract', abstract),
    textElement('ows:ServiceType', 'OGC WMTS'),
    textElement('ows:ServiceTypeVersion', wmtsVersion),
  )
  const operations = element(
    'ows:OperationsMetadata',
    {},
    ...['GetCapabilities', 'GetTile', 'GetFeatureInfo'].map((name) => operation(name, url)),
  )
  const contents = element(
    'Contents',
    {},
    ...layers.map((layer) => layerElement(url, layer)),
    ...matrixSets.map(matrixSetElement),
  )
  const address = `${url}/${wmtsVersion}/WMTSCapabilities.xml`
  const metadata = element('ServiceMetadataURL', { 'xlink:href': address })
  return `${xmlDeclaration}${element('Capabilities', root, identification, operations, contents, metadata)}`
}

function operation(name: string, url: string): string {
  const encoding = (value: string, href: string) =>
    element(
      'ows:Get',
      { 'xlink:href': href },
      element(
        'ows:Constraint',
        { name: 'GetEncoding' },
        element('ows:AllowedValues', {}, textElement('ows:Value', value)),
      ),
    )
  const gets = [encoding('KVP', `${url}?`), encoding('RESTful', `${url}/${wmtsVersion}/`)]
  return element('ows:Operation', { name }, element('ows:DCP', {}, element('ows:HTTP', {}, ...gets)))
}

function layerElement(url: string, layer: WmsLayer): string {
  const { name, title, abstract, extent, isQueryable } = layer
  const limit = (value: number, most: number) => Math.max(-most, Math.min(most, value))
  const [west, south, east, north] = extent ?? [-180, -mercatorMaxLatitude, 180, mercatorMaxLatitude]
  const box = element(
    'ows:WGS84BoundingBox',
    {},
    textElement('ows:LowerCorner', `${limit(west, 180)} ${limit(south, mercatorMaxLatitude)}`),
    textElement('ows:UpperCorner', `${limit(east, 180)} ${limit(north, mercatorMaxLatitude)}`),
  )
  const templates = resourceTemplates(url, name).filter(([kind]) => kind === 'tile' || isQueryable)
  return element(
    'Layer',
    {},
    textElement('ows:Title', title),
    optionalElement('ows:Abstract', abstract),
    box,
    textElement('ows:Identifier', name),
    styleElement(url, layer),
    ...mapFormats.map((format) => textElement('Format', format)),
    ...(isQueryable ? infoFormats.map((format) => textElement('InfoFormat', format)) : []),
    ...matrixSets.map((set) => element('TileMatrixSetLink', {}, textElement('TileMatrixSet', set.name))),
    ...templates.map(([resourceType, format, template]) =>
      element('ResourceURL', { format, resourceType, template }),
    ),
  )
}

/** The legend is that of the web map service of the same resource. */
function styleElement(url: string, { name, legendSize }: WmsLayer): string {
  const href = legendAddress(url.replace(/wmts$/, 'wms'), name)
  return element(
    'Style',
    { isDefault: 'true' },
    textElement('ows:Identifier', styleName),
    legendSize === undefined
      ? ''
      : element('LegendURL', { format: 'image/png', 'xlink:href': href, ...legendSize }),
  )
}
