import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { parseGeojsonGeometry } from '../../geo/geojson.ts'
import { fitGeometry, type Geometry } from '../../geo/geometry.ts'
import { formatWkt } from '../../geo/wkt.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'
import { type FieldValue, parseFieldValue } from '../../store/feature/field_value.ts'
import { requireSrs } from '../../store/feature/geometry_sql.ts'
import type { FeatureContent, WriteTarget } from '../../store/feature/write_features.ts'
import type { LayerField, WritableLayer } from '../../store/layer/stored_layer.ts'
import { type ExtensionChange, readExtensions } from '../attachments/attachment_extension.ts'
import type { ApiRequest } from '../http/handler.ts'
import { refuseForeign } from './open_layer.ts'

/** A feature as requests carry it. */
export type FeatureBody = ApiRequest<'feature.create'>['body']

/** How a request writes features. Dates and times are taken in both forms. */
export type WriteQuery = ApiRequest<'feature.create'>['query']

/**
 * Reads where a request writes, and in which reference system.
 *
 * @throws {Problem} request/invalid for a reference system that the database does not know
 */
export async function readTarget(
  tx: Queryable,
  layer: WritableLayer,
  query: WriteQuery,
): Promise<WriteTarget> {
  const { srs = layer.srs } = query
  if (srs !== layer.srs) await requireSrs(tx, srs)
  return { layer, srs }
}

/** What a request writes of a feature. */
export interface WrittenFeature extends FeatureContent {
  readonly extensions: ExtensionChange
}

/** Tells whether a request writes nothing of a feature, such as one with unknown members only. */
export function isEmptyContent({ geom, values, extensions }: WrittenFeature): boolean {
  return geom === undefined && values.size === 0 && Object.keys(extensions).length === 0
}

/**
 * Reads what a request writes of a feature. Fields that the layer does not have are left alone.
 *
 * @throws {Problem} feature/invalid naming the field; request/not-built where something would be lost
 */
export function readContent(target: WriteTarget, body: FeatureBody, query: WriteQuery): WrittenFeature {
  const extensions = readExtensions(body)
  // Some clients send what they have read: that there is nothing is no news.
  if (extensions.description || extensions.attachment?.length) refuseForeign(target.layer)
  const values = new Map<LayerField, FieldValue>()
  const given = body.fields ?? {}
  for (const field of target.layer.fields) {
    if (Object.hasOwn(given, field.keyname)) values.set(field, parseFieldValue(field, given[field.keyname]))
  }
  return { geom: readGeometry(target, body.geom, query), values, extensions }
}

function readGeometry(
  { layer, srs }: WriteTarget,
  geom: FeatureBody['geom'],
  query: WriteQuery,
): FeatureContent['geom'] {
  if (geom === undefined) return undefined
  // A null that is not meant would delete the geometry.
  if (geom === null) return query.geom_null ? null : undefined
  const geometry = query.geom_format === 'geojson' ? parseGeojsonGeometry(geom) : readWkt(geom, srs)
  return formatWkt(fitGeometry(geometry, layer.geometryType, { fitsZ: query.geom_fit_z }))
}

function readWkt(geom: unknown, expected: number): Geometry {
  if (typeof geom !== 'string')
    throw problem('feature/invalid', 'geom: expected WKT; GeoJSON needs geom_format=geojson in the query')
  const { geometry, srs = expected } = parseWkt(geom)
  if (srs === expected) return geometry
  throw problem('feature/invalid', `geom: is in EPSG:${srs}, the request in EPSG:${expected}`, {
    hint: `Add srs=${srs} to the query.`,
  })
}
