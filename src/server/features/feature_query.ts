import { filterSrs } from '../../contract/geometry.ts'
import { maxFilterWkt } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import { findHint } from '../../core/suggest.ts'
import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'
import { extensionNames } from '../../store/attachment/attachment_json.ts'
import type { FeatureFilter } from '../../store/feature/feature_filter.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import type { FeatureFormat, FeatureSelection } from '../../store/feature/read_features.ts'
import type { Layer, LayerField } from '../../store/layer/stored_layer.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'

/**
 * Reads the output format of features.
 *
 * @throws {Problem} request/invalid for unknown reference systems, fields and extensions
 */
export async function readFormat(
  tx: Queryable,
  layer: Layer,
  query: ApiRequest<'feature.get'>['query'],
): Promise<FeatureFormat> {
  const { srs = layer.srs, extensions } = query
  if (srs !== layer.srs) await requireSrs(tx, srs)
  // The NextGIS documentation has `attachments` in queries, and `attachment` in answers.
  const requested = extensions?.map((name) => name.trim().replace(/^attachments$/, 'attachment'))
  checkNames('extensions', requested, extensionNames)
  checkNames(
    'fields',
    query.fields,
    layer.fields.map(({ keyname }) => keyname),
  )
  return {
    geom: query.geom ?? true,
    geomFormat: query.geom_format ?? 'wkt',
    srs,
    temporalFormat: query.dt_format ?? 'obj',
    fields: query.fields,
    extensions: extensionNames.filter((name) => requested === undefined || requested.includes(name)),
  }
}

function checkNames(parameter: string, names: readonly string[] | undefined, known: readonly string[]): void {
  const unknown = names?.find((name) => !known.includes(name))
  if (unknown === undefined) return
  const hint = findHint(unknown, known)
  throw problem('request/invalid', `Parameter "${parameter}": "${unknown}" does not exist.`, {
    data: { location: ['query', parameter] },
    ...(hint === undefined ? {} : { hint }),
  })
}

/**
 * Finds the fields that a parameter names, in its order; undefined for an absent parameter.
 *
 * @throws {Problem} request/invalid for an unknown field
 */
export function readFieldNames(
  { fields }: Layer,
  parameter: string,
  names: readonly string[] | undefined,
): LayerField[] | undefined {
  const keynames = fields.map(({ keyname }) => keyname)
  checkNames(parameter, names, keynames)
  return names?.flatMap((name) => fields[keynames.indexOf(name)] ?? [])
}

/**
 * Reads a feature query: filter, order, page and output format.
 *
 * @throws {Problem} request/invalid, feature/invalid
 */
export async function readSelection(
  tx: Queryable,
  layer: Layer,
  { query, more, body }: Pick<ApiRequest<'feature.list'>, 'query' | 'more' | 'body'>,
): Promise<FeatureSelection> {
  const intersects = query.intersects ?? findIntersects(body)
  return {
    format: await readFormat(tx, layer, query),
    filter: readFilter({ query: { ...query, intersects }, more }),
    orderBy: query.order_by ?? [],
    limit: query.limit,
    offset: query.offset,
  }
}

/** Parameters that filter features. */
export interface FilterParameters {
  readonly query: {
    readonly intersects?: string | undefined
    /** EPSG code of `intersects`. */
    readonly intersects_srs?: number | undefined
    readonly bbox?: readonly number[] | undefined
    readonly like?: string | undefined
    readonly ilike?: string | undefined
  }
  readonly more: ApiRequest['more']
}

/**
 * Reads the filter of a feature query.
 *
 * @throws {Problem} request/invalid, feature/invalid
 */
export function readFilter({ query, more }: FilterParameters): FeatureFilter {
  const { intersects, intersects_srs: intersectsSrs = filterSrs, bbox, like, ilike } = query
  return {
    fields: more,
    intersects: intersects === undefined ? undefined : readFilterGeometry(intersects, intersectsSrs),
    intersectsSrs,
    bbox: bbox && readBox(bbox),
    like,
    ilike,
  }
}

// A geometry that is too long for a URL is sent in the body of a GET request.
function findIntersects(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('intersects' in body)) return undefined
  const { intersects } = body
  if (intersects === undefined || intersects === null) return undefined
  if (typeof intersects === 'string') {
    if (intersects.length <= maxFilterWkt) return intersects
    throw invalidAt(
      '/intersects',
      `the string has ${intersects.length} characters; the limit is ${maxFilterWkt}`,
    )
  }
  throw problem('request/invalid', 'intersects: expected WKT - at $.intersects')
}

function readFilterGeometry(wkt: string, expected: number): Geometry {
  const { geometry, srs = expected } = parseWkt(wkt)
  if (srs !== expected)
    throw problem('request/invalid', `intersects: expected EPSG:${expected}, got EPSG:${srs}`)
  return geometry
}

function readBox(edges: readonly number[]): Bbox {
  const [minX, minY, maxX, maxY] = edges
  const isBox = edges.length === 4 && minX !== undefined && minY !== undefined
  if (!isBox || maxX === undefined || maxY === undefined || minX > maxX || minY > maxY)
    throw problem('request/invalid', `bbox: expected minx,miny,maxx,maxy, got ${edges.join()}`)
  return [minX, minY, maxX, maxY]
}
