import type { Capabilities } from '../contract/classes/wmsclient_connection.ts'
import {
  type CapabilitiesElement,
  CapabilitiesFault,
  type CapabilitiesReader,
  createCapabilitiesParser,
} from './capabilities_xml.ts'

/** Root elements of WMS capabilities, version 1.3.0 and earlier. */
export const wmsRoots: readonly string[] = ['WMS_Capabilities', 'WMT_MS_Capabilities']

const maxLayers = 20_000

/**
 * Parses WMS capabilities, version 1.1.1 or 1.3.0.
 *
 * @throws {CapabilitiesFault}
 * @see OGC 06-042 clause 7.2.4, OGC 01-068r3 clause 7.1.4
 */
export function parseWmsCapabilities(xml: string): Capabilities {
  const reader = createReader()
  const parser = createCapabilitiesParser(wmsRoots, reader)
  parser.write(xml)
  parser.end()
  return reader.result()
}

/** A layer whose element is open. */
interface Draft {
  id?: string
  title?: string
  bbox?: number[]
  readonly edges: Map<string, number>
  /** The layer around it, whose box it has if it has none of its own. */
  readonly parent: Draft | undefined
}

interface Reader extends CapabilitiesReader {
  result(): Capabilities
}

function createReader(): Reader {
  const layers: Draft[] = []
  const open: Draft[] = []
  const formats: string[] = []
  return {
    open({ name }, attributes) {
      if (name === 'Layer') {
        const draft: Draft = { edges: new Map(), parent: open.at(-1) }
        layers.push(draft)
        open.push(draft)
        if (layers.length > maxLayers) throw new CapabilitiesFault(`it has more than ${maxLayers} layers`)
      }
      const layer = open.at(-1)
      if (layer && name === 'LatLonBoundingBox') setBox(layer, edgesOf(attributes))
    },
    close({ name, parent }, text) {
      const layer = open.at(-1)
      if (layer !== undefined) readIntoLayer(layer, { name, parent, text })
      if (name === 'Format' && parent === 'GetMap') formats.push(text)
      if (name === 'Layer') open.pop()
    },
    result: () => ({ formats, layers: layers.flatMap(finish) }),
  }
}

interface Closed extends CapabilitiesElement {
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

/** Largest longitude and latitude of a box: layers may continue in the next copy of the world, and have a margin around a pole. */
const boxLimits = [540, 100] as const

/** Keeps a box in degrees. Others, such as those of the limits of numbers, are errors of the service: it counts as missing. */
function setBox(layer: Draft, edges: ReadonlyMap<string, number>): void {
  const [west, south, east, north] = ['minx', 'miny', 'maxx', 'maxy'].map(
    (name) => edges.get(name) ?? Number.NaN,
  ) as [number, number, number, number]
  const [longitude, latitude] = boxLimits
  const isInDegrees =
    Math.abs(west) <= longitude &&
    Math.abs(east) <= longitude &&
    Math.abs(south) <= latitude &&
    Math.abs(north) <= latitude
  if (!isInDegrees || south > north) return
  layer.bbox = [west, Math.max(south, -90), east, Math.min(north, 90)]
}

// Layers without a name are category headings.
function finish(draft: Draft, index: number): Capabilities['layers'] {
  const { id, title } = draft
  if (id === undefined || id === '') return []
  const bbox = findBox(draft)
  return [{ id, title: title ?? id, index, ...(bbox === undefined ? {} : { bbox }) }]
}

/** Returns the box of a layer, or that of the closest layer around it. @see OGC 06-042 clause 7.2.4.8 */
function findBox({ bbox, parent }: Draft): number[] | undefined {
  return bbox ?? (parent && findBox(parent))
}
