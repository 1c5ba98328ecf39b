/** Geometry types without Z. */
export const planarGeometryTypes = [
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
] as const

/** Geometry types of layers; a Z at the end means three coordinates a position. */
export const geometryTypes = [
  ...planarGeometryTypes,
  'POINTZ',
  'LINESTRINGZ',
  'POLYGONZ',
  'MULTIPOINTZ',
  'MULTILINESTRINGZ',
  'MULTIPOLYGONZ',
] as const

/** A geometry type of a layer. */
export type GeometryType = (typeof geometryTypes)[number]

/** What the shapes are, whether single or multi, with or without Z. */
export type GeometryFamily = 'POINT' | 'LINESTRING' | 'POLYGON'

/** What a geometry type is made of. */
export interface GeometryParts {
  readonly family: GeometryFamily
  readonly isMulti: boolean
  readonly hasZ: boolean
}

/** Takes a geometry type apart: MULTIPOINTZ is a POINT, multi, with Z. */
export function geometryParts(type: GeometryType): GeometryParts {
  const hasZ = type.endsWith('Z')
  const isMulti = type.startsWith('MULTI')
  const family = type.slice(isMulti ? 5 : 0, hasZ ? -1 : undefined) as GeometryFamily
  return { family, isMulti, hasZ }
}

/** Puts a geometry type together. */
export function geometryTypeOf({ family, isMulti, hasZ }: GeometryParts): GeometryType {
  return `${isMulti ? 'MULTI' : ''}${family}${hasZ ? 'Z' : ''}` as GeometryType
}

/** Datatypes of fields: 32 and 64 bit integers, doubles, text of any length, and moments without a time zone. */
export const datatypes = ['INTEGER', 'BIGINT', 'REAL', 'STRING', 'DATE', 'TIME', 'DATETIME'] as const

/** A datatype of a field. */
export type Datatype = (typeof datatypes)[number]

/** Reference system of web maps, by EPSG code: layers and rasters that are loaded from data are stored in it. */
export const loadedSrs = 3857

/** Reference system of geometries and boxes in queries, unless the query names another. */
export const filterSrs = 3857

/** Reference systems that layers may be stored in, by EPSG code. */
export const layerReferenceSystems = [loadedSrs, 4326] as const
