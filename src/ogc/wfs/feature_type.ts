import { type GeometryType, geometryParts } from '../../contract/geometry.ts'
import { uniqueName } from '../../core/unique_name.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import type { GmlVersion } from '../gml/write_gml.ts'
import { invalidParameter, type OwsFault, shown } from '../ows_fault.ts'
import { type NamedSrs, parseSrsName, shortSrs, srsUrn } from '../reference_system.ts'
import { xmlNameOf } from '../xml_text.ts'
import type { WfsProtocol } from './wfs_protocol.ts'

/** A property of a feature type: a field of the layer, with its name in XML. */
export interface FeatureProperty {
  readonly name: string
  readonly field: LayerField
}

/** A layer as a service publishes it. */
export interface FeatureType {
  /** Name in XML, without the prefix. */
  readonly name: string
  readonly title: string
  /** Description in plain text, in documents that state it. */
  readonly abstract?: string | undefined
  readonly layer: Layer
  /** Name of the property of the geometry. */
  readonly geometryName: string
  readonly properties: readonly FeatureProperty[]
  /** Maximum number of features in a response. */
  readonly maxFeatures: number | null
  readonly isWritable: boolean
  /** Extent in degrees, in documents that state it. */
  readonly extent?: Bbox | undefined
}

/** A published layer. */
export interface PublishedLayer {
  readonly keyname: string
  readonly displayName: string
  readonly maxFeatures: number | null
  readonly layer: Layer
  readonly isWritable: boolean
}

/** Describes published layers as feature types, with names that XML accepts. */
export function createFeatureTypes(published: readonly PublishedLayer[]): FeatureType[] {
  const names = nameAll(published.map(({ keyname }) => keyname))
  return published.map(({ displayName, layer, maxFeatures, isWritable }, at) => ({
    name: names[at] ?? '',
    title: displayName,
    ...describeLayer(layer),
    maxFeatures,
    isWritable,
  }))
}

/** Returns a feature type with the present fields of its layer. */
export function withLayer(type: FeatureType, layer: Layer): FeatureType {
  return { ...type, ...describeLayer(layer) }
}

function describeLayer(layer: Layer): Pick<FeatureType, 'layer' | 'geometryName' | 'properties'> {
  const names = nameAll(layer.fields.map(({ keyname }) => keyname))
  return {
    layer,
    geometryName: uniqueName('geom', { isTaken: (name) => names.includes(name) }),
    properties: layer.fields.map((field, at) => ({ name: names[at] ?? '', field })),
  }
}

/** Returns a distinct XML name for each string; strings that are XML names keep them. */
export function nameAll(texts: readonly string[]): string[] {
  const taken = new Set(texts.filter((text) => xmlNameOf(text) === text))
  return texts.map((text) => {
    const wanted = xmlNameOf(text)
    if (wanted === text) return text
    const name = uniqueName(wanted, { isTaken: (one) => taken.has(one), firstNumber: 2 })
    taken.add(name)
    return name
  })
}

/** Prefix of the names of feature types and properties. */
export const typePrefix = 'svc'

/**
 * Finds a feature type by its name, with or without a prefix.
 *
 * @throws {OwsFault}
 */
export function findFeatureType(types: readonly FeatureType[], name: string): FeatureType {
  const local = localPart(name)
  const found = types.find((type) => type.name === local)
  if (found !== undefined) return found
  throw invalidParameter('typeName', `The service has no feature type ${shown(name)}.`)
}

/** Returns a name without its prefix, and without `schema-element()`. */
export function localPart(name: string): string {
  const plain = /^schema-element\((.*)\)$/.exec(name.trim())?.[1] ?? name.trim()
  return plain.slice(plain.lastIndexOf(':') + 1)
}

/** What a property name stands for. */
export type PropertyTarget = 'geometry' | 'id' | FeatureProperty

/**
 * Finds a property of a feature type by its name or path.
 *
 * @throws {OwsFault}
 * @see OGC 09-026r2 clause 7.4.4
 */
export function findProperty(type: FeatureType, path: string): PropertyTarget {
  const steps = path
    .trim()
    .replace(/^\.?\//, '')
    .split('/')
    .map(localPart)
  const own = steps.length > 1 && steps[0] === type.name ? steps.slice(1) : steps
  const [name = ''] = own
  const property = own.length === 1 ? type.properties.find((one) => one.name === name) : undefined
  if (property !== undefined) return property
  if (own.length === 1 && name === type.geometryName) return 'geometry'
  if (own.length === 1 && /^@?(gml:)?id$|^@fid$/.test(path.trim().replace(/^.*\//, ''))) return 'id'
  throw unknownProperty(type, path)
}

function unknownProperty({ name }: FeatureType, path: string): OwsFault {
  return invalidParameter('propertyName', `The feature type ${name} has no property ${shown(path)}.`)
}

/** Returns the identifier of a feature. */
export function featureIdOf({ name }: Pick<FeatureType, 'name'>, id: string | number): string {
  return `${name}.${id}`
}

/** Finds the id in the identifier of a feature of a type; undefined for identifiers of other types. */
export function findIdOf({ name }: FeatureType, featureId: string): string | undefined {
  const local = localPart(featureId)
  const dot = local.lastIndexOf('.')
  const id = local.slice(dot + 1)
  return local.slice(0, Math.max(0, dot)) === name && /^-?\d{1,18}$/.test(id) ? id : undefined
}

/** Returns the reference system of the coordinates of a type if a request does not name one. */
export function defaultSrs({ layer }: FeatureType, { hasUrns }: WfsProtocol): NamedSrs {
  return hasUrns ? srsUrn(layer.srs) : shortSrs(layer.srs)
}

/**
 * Reads the reference system of coordinates.
 *
 * @throws {OwsFault} for names of an unknown form
 */
export function readSrsName(name: string): NamedSrs {
  const srs = parseSrsName(name)
  if (srs !== undefined) return srs
  throw invalidParameter('srsName', `${shown(name)} does not name an EPSG reference system.`)
}

/** XML names of geometry types, by family. @see OGC 02-069, OGC 03-105r1, OGC 07-036 */
export function geometryPropertyType(type: GeometryType, gmlVersion: GmlVersion): string {
  const { family, isMulti } = geometryParts(type)
  const names =
    gmlVersion === '3.2.1'
      ? { POINT: 'Point', LINESTRING: 'Curve', POLYGON: 'Surface' }
      : { POINT: 'Point', LINESTRING: 'LineString', POLYGON: 'Polygon' }
  return `gml:${isMulti ? 'Multi' : ''}${names[family]}PropertyType`
}
