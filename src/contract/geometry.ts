/** Geometry types without Z. */
export const planarGeometryTypes = [
  'POINT',
  'LINESTRING',
  'POLYGON',
  'MULTIPOINT',
  'MULTILINESTRING',
  'MULTIPOLYGON',
] as const

/** Geometry types of layers; the suffix Z means three coordinates per position. */
export const geometryTypes = [
  ...planarGeometryTypes,
  'POINTZ',
  'LINESTRINGZ',
  'POLYGONZ',
  'MULTIPOINTZ',
  'MULTILINESTRINGZ',
  'MULTIPOLYGONZ',
] as const

/** Geometry type of a layer. */
export type GeometryType = (typeof geometryTypes)[number]

/** Geometry type without multi and Z. */
export type GeometryFamily = 'POINT' | 'LINESTRING' | 'POLYGON'

/** Components of a geometry type. */
export interface GeometryParts {
  readonly family: GeometryFamily
  readonly isMulti: boolean
  readonly hasZ: boolean
}

/** Splits a geometry type into its components: MULTIPOINTZ is a POINT, multi, with Z. */
export function geometryParts(type: GeometryType): GeometryParts {
  const hasZ = type.endsWith('Z')
  const isMulti = type.startsWith('MULTI')
  const family = type.slice(isMulti ? 5 : 0, hasZ ? -1 : undefined) as GeometryFamily
  return { family, isMulti, hasZ }
}

/** Composes a geometry type from its components. */
export function geometryTypeOf({ family, isMulti, hasZ }: GeometryParts): GeometryType {
  return `${isMulti ? 'MULTI' : ''}${family}${hasZ ? 'Z' : ''}` as GeometryType
}

/** Datatypes of fields: 32-bit and 64-bit integers, doubles, strings of any length, dates and times without time zone. */
export const datatypes = ['INTEGER', 'BIGINT', 'REAL', 'STRING', 'DATE', 'TIME', 'DATETIME'] as const

/** Datatype of a field. */
export type Datatype = (typeof datatypes)[number]

/** EPSG code of Web Mercator: layers and rasters loaded from a source are stored in it. */
export const loadedSrs = 3857

/** Default EPSG code of geometries and boxes in queries. */
export const filterSrs = 3857

/** EPSG codes that layers can be stored in. */
export const layerReferenceSystems = [loadedSrs, 4326] as const
