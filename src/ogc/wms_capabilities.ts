import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { Capabilities } from '../contract/classes/wmsclient_connection.ts'

/** The document is not a WMS capabilities document; the message gives the reason. */
export class CapabilitiesFault extends Error {}

const maxLayers = 20_000
const maxDepth = 256

/**
 * Parses WMS capabilities, version 1.1.1 or 1.3.0. Document types, which version 1.1.1 has, are accepted and never
 * fetched.
 *
 * @throws {CapabilitiesFault}
 * @see OGC 06-042 clause 7.2.4, OGC 01-068r3 clause 7.1.4
 */
export function parseWmsCapabilities(xml: string): Capabilities {
  const parser = new SaxesParser()
  const reader = createReader()
  parser.on('error', ({ message }) => {
    throw new CapabilitiesFault(`it is not well-formed: ${message.replace(/^\d+:\d+: /, '')}`)
  })
  parser.on('opentag', reader.open)
  parser.on('text', reader.addText)
  parser.on('cdata', reader.addText)
  parser.on('closetag', reader.close)
  parser.write(xml).close()
  return reader.result()
}

/** A layer whose element is open. */
interface Draft {
  id?: string
  title?: string
  bbox?: number[]
  readonly edges: Map<string, number>
}

interface Reader {
  open(tag: SaxesTagPlain): void
  addText(text: string): void
  close(): void
  result(): Capabilities
}

const rootNames = ['WMS_Capabilities', 'WMT_MS_Capabilities']

function createReader(): Reader {
  const path: string[] = []
  const layers: Draft[] = []
  const open: Draft[] = []
  const formats: string[] = []
  let text = ''
  return {
    open({ name, attributes }) {
      const local = localName(name)
      if (path.length === 0) checkRoot(local)
      if (path.length >= maxDepth) throw new CapabilitiesFault('its elements are nested too deeply')
      path.push(local)
      text = ''
      if (local === 'Layer') {
        const draft = { edges: new Map() }
        layers.push(draft)
        open.push(draft)
        if (layers.length > maxLayers) throw new CapabilitiesFault(`it has more than ${maxLayers} layers`)
      }
      const layer = open.at(-1)
      if (layer && local === 'LatLonBoundingBox') setBox(layer, edgesOf(attributes))
    },
    addText: (part) => {
      text += part
    },
    close() {
      const [name, parent] = [path.at(-1) ?? '', path.at(-2) ?? '']
      const layer = open.at(-1)
      if (layer !== undefined) readIntoLayer(layer, { name, parent, text: text.trim() })
      if (name === 'Format' && parent === 'GetMap') formats.push(text.trim())
      if (name === 'ServiceException' || name === 'ExceptionText')
        throw new CapabilitiesFault(exception(text))
      if (name === 'Layer') open.pop()
      path.pop()
      text = ''
    },
    result: () => ({ formats, layers: layers.flatMap(finish) }),
  }
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1)

function checkRoot(name: string): void {
  if (rootNames.includes(name) || /Exception(Report)?$/.test(name)) return
  throw new CapabilitiesFault(`its root element is <${name}>`)
}

const exception = (text: string) =>
  `the service returned an exception: ${text.trim().replaceAll(/\s+/g, ' ').slice(0, 300)}`

interface Closed {
  readonly name: string
  readonly parent: string
  readonly text: string
}

const edgeNames: Readonly<Record<string, string>> = {
  westBoundLongitude: 'minx',
  southBoundLatitude: 'miny',
  eastBoundLongitude: 'maxx',
  northBoundLatitude: 'maxy',
}

function readIntoLayer(layer: Draft, { name, parent, text }: Closed): void {
  if (parent === 'Layer' && name === 'Name') layer.id = text
  if (parent === 'Layer' && name === 'Title') layer.title = text
  const edge = edgeNames[name]
  if (edge !== undefined && text !== '') layer.edges.set(edge, Number(text))
  if (name === 'EX_GeographicBoundingBox') setBox(layer, layer.edges)
}

function edgesOf(attributes: Readonly<Record<string, string>>): Map<string, number> {
  return new Map(Object.entries(attributes).map(([name, value]) => [name, Number(value)]))
}

function setBox(layer: Draft, edges: ReadonlyMap<string, number>): void {
  const box = ['minx', 'miny', 'maxx', 'maxy'].map((name) => edges.get(name) ?? Number.NaN)
  if (box.every(Number.isFinite)) layer.bbox = box
}

// Layers without a name are category headings.
function finish({ id, title, bbox }: Draft, index: number): Capabilities['layers'] {
  if (id === undefined || id === '') return []
  return [{ id, title: title ?? id, index, ...(bbox === undefined ? {} : { bbox }) }]
}
