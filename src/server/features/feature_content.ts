import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { parseGeojsonGeometry } from '../../geo/geojson.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { parseWkt } from '../../geo/wkt_reader.ts'
import { requireSrs } from '../../store/feature/feature_sql.ts'
import { type FieldValue, parseFieldValue } from '../../store/feature/field_value.ts'
import type { FeatureContent, WriteTarget } from '../../store/feature/write_features.ts'
import type { LayerField, WritableLayer } from '../../store/layer/stored_layer.ts'
import { type ExtensionChange, readExtensions } from '../attachments/attachment_extension.ts'
import type { ApiRequest } from '../http/handler.ts'
import { refuseForeign } from './open_layer.ts'
import { writtenWkt } from './written_geometry.ts'

/** A feature in a request. */
export type FeatureBody = ApiRequest<'feature.create'>['body']

/** Query parameters of requests that write features. Dates and times are accepted in both formats. */
export type WriteQuery = ApiRequest<'feature.create'>['query']

/**
 * Reads the target of a request that writes features: layer and reference system.
 *
 * @throws {Problem} request/invalid for a reference system that is unknown to the database
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

/** Content of a feature that a request writes. */
export interface WrittenFeature extends FeatureContent {
  readonly extensions: ExtensionChange
}

/** Whether a request writes the data of a feature, only its description or attachments, or nothing, such as unknown members. */
export type WriteEffect = 'data' | 'extensions' | 'nothing'

/** Returns what a request has written of a feature, whose data it changed or not. */
export function effectOf(
  { extensions }: Pick<WrittenFeature, 'extensions'>,
  isChanged: boolean,
): WriteEffect {
  if (isChanged) return 'data'
  return Object.keys(extensions).length > 0 ? 'extensions' : 'nothing'
}

/**
 * Reads the content of a feature from a request. Ignores unknown fields.
 *
 * @throws {Problem} feature/invalid with the field; request/not-built if something would be lost
 */
export function readContent(target: WriteTarget, body: FeatureBody, query: WriteQuery): WrittenFeature {
  const extensions = readExtensions(body)
  // Some clients send back what they have read: empty extensions are accepted.
  if (extensions.description || extensions.attachment?.length) refuseForeign(target.layer)
  const values = new Map<LayerField, FieldValue>()
  const fields = body.fields ?? {}
  for (const field of target.layer.fields) {
    if (Object.hasOwn(fields, field.keyname)) values.set(field, parseFieldValue(field, fields[field.keyname]))
  }
  return { geom: readGeometry(target, body.geom, query), values, extensions }
}

function readGeometry(
  { layer, srs }: WriteTarget,
  geom: FeatureBody['geom'],
  query: WriteQuery,
): FeatureContent['geom'] {
  if (geom === undefined) return undefined
  // An accidental null would delete the geometry.
  if (geom === null) return query.geom_null ? null : undefined
  const geometry = query.geom_format === 'geojson' ? parseGeojsonGeometry(geom) : readWkt(geom, srs)
  return writtenWkt(geometry, { layer, srs, fitsZ: query.geom_fit_z })
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
