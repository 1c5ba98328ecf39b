import { readFileSync } from 'node:fs'
import type { GeometryFamily } from '../../../src/contract/geometry.ts'
import type { Bbox } from '../../../src/geo/bbox.ts'

/** A feature of a gallery: the parts of a multi geometry, in EPSG:3857. */
export interface GalleryFeature {
  /** Parts of the geometry: a point, a line, or the rings of a polygon, which end where they start. */
  readonly parts: readonly (readonly (readonly Position[])[])[]
  readonly values: Readonly<Record<string, string | number | null>>
}

/** A position: x and y. */
export type Position = readonly [x: number, y: number]

/** Features of one layer, and the image that shows them. */
export interface GalleryData {
  readonly name: string
  readonly family: GeometryFamily
  readonly features: readonly GalleryFeature[]
  readonly box: Bbox
  /** In pixels. */
  readonly width: number
  readonly height: number
}

const names = { POINT: 'points', LINESTRING: 'lines', POLYGON: 'areas' } as const

const loaded = new Map<GeometryFamily, GalleryData>()

interface StoredData {
  readonly width: number
  readonly height: number
  readonly features: readonly {
    readonly values: GalleryFeature['values']
    /** In pixels of the image; y grows downwards. */
    readonly parts: GalleryFeature['parts']
  }[]
}

/** Metres in EPSG:3857 per pixel of the small geometries. */
const metresPerPixel = 1000

/** Reads the small geometries of a family, which are stored with the reference images. */
export function smallData(family: GeometryFamily): GalleryData {
  const known = loaded.get(family)
  if (known !== undefined) return known
  const file = new URL(`../../fixtures/gallery/${names[family]}.json`, import.meta.url)
  const { width, height, features } = JSON.parse(readFileSync(file, 'utf8')) as StoredData
  const place = ([x, y]: Position): Position => [x * metresPerPixel, (height - y) * metresPerPixel]
  const data: GalleryData = {
    name: names[family],
    family,
    ...{ width, height, box: [0, 0, width * metresPerPixel, height * metresPerPixel] },
    features: features.map(({ values, parts }) => ({
      values,
      parts: parts.map((part) => part.map((sequence) => sequence.map(place))),
    })),
  }
  loaded.set(family, data)
  return data
}

const multiTypes = { POINT: 'MultiPoint', LINESTRING: 'MultiLineString', POLYGON: 'MultiPolygon' } as const

/** Returns features as GeoJSON in EPSG:3857. */
export function geojsonOf({ name, family, features }: Omit<GalleryData, 'box'>): string {
  return JSON.stringify({
    ...{ type: 'FeatureCollection', name },
    crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } },
    features: features.map(({ parts, values }, at) => ({
      ...{ type: 'Feature', id: at + 1, properties: values },
      geometry: { type: multiTypes[family], coordinates: coordinatesOf(family, parts) },
    })),
  })
}

function coordinatesOf(family: GeometryFamily, parts: GalleryFeature['parts']): unknown {
  if (family === 'POLYGON') return parts
  return family === 'LINESTRING' ? parts.flat() : parts.flat(2)
}
