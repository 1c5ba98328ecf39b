import { type GeometryFamily, geometryParts } from '../../contract/geometry.ts'
import type { Queryable } from '../../database/database.ts'
import type { Bbox } from '../../geo/bbox.ts'
import type { Geometry } from '../../geo/geometry.ts'
import { boxOnMap, onMap } from '../../geo/on_map.ts'
import { formatWkt } from '../../geo/wkt.ts'
import type { Layer } from '../layer/stored_layer.ts'
import { lexicalSql } from './export_rows.ts'
import { createBindings, geometryProblem, transformSql } from './feature_sql.ts'
import { featuresSql } from './feature_table.ts'

/** A feature at a place of a map. */
export interface InfoFeature {
  readonly fid: string
  /** Values of the fields in order, in the lexical form of XML Schema. */
  readonly values: readonly (string | null)[]
  /** Geometry as GeoJSON, if it was requested. */
  readonly geojson: string | null
  /** Geometry as WKB, if it was requested. */
  readonly wkb: Uint8Array | null
}

/** Features at a place of a map to read. */
export interface InfoQuery {
  /** Box in which points and lines are found; polygons are found at its centre. */
  readonly box: Bbox
  /** EPSG code of the box and of the geometries. */
  readonly srs: number
  /** Maximum number of features. */
  readonly limit: number
  readonly geometry: 'none' | 'geojson' | 'wkb'
}

/**
 * Finds the features of a layer at a place of a map, ordered by id.
 *
 * @throws {Problem} feature/invalid if the place lies outside the reference system of the layer
 */
export async function findInfoFeatures(
  tx: Queryable,
  layer: Layer,
  { box, srs, limit, geometry }: InfoQuery,
): Promise<InfoFeature[]> {
  const bindings = createBindings()
  const { family } = geometryParts(layer.geometryType)
  const shape = formatWkt(onMap(searchedShape(boxOnMap(box, srs), family), srs))
  const place = transformSql(
    `ST_GeomFromText(${bindings.bind(shape, 'text')}, ${Math.trunc(srs)})`,
    srs,
    layer.srs,
  )
  const values = layer.fields.map(lexicalSql)
  const moved = transformSql('geom', layer.srs, srs)
  const decimals = srs === 4326 ? 7 : 3
  const text = `select id::text as fid,
      ${values.length === 0 ? "'[]'" : `to_json(array[${values.join(', ')}]::text[])`}::json as values,
      ${geometry === 'geojson' ? `ST_AsGeoJSON(${moved}, ${decimals}, 0)` : 'null::text'} as geojson,
      ${geometry === 'wkb' ? `ST_AsBinary(${moved}, 'NDR')` : 'null::bytea'} as wkb
    from ${featuresSql(layer)}
    where ST_Intersects(geom, ${place})
    order by id limit ${bindings.bind(limit, 'int')}`
  try {
    return await tx.query<InfoFeature>(text, bindings.values)
  } catch (error) {
    throw geometryProblem(error)
  }
}

/** Returns the shape in which features are searched in a box; it may lie in another copy of the world. */
function searchedShape([minX, minY, maxX, maxY]: Bbox, family: GeometryFamily): Geometry {
  const single = { isMulti: false, hasZ: false }
  if (family === 'POLYGON' || (minX === maxX && minY === maxY))
    return { ...single, family: 'POINT', parts: [[[(minX + maxX) / 2, (minY + maxY) / 2]]] }
  const ring = [minX, minY, minX, maxY, maxX, maxY, maxX, minY, minX, minY]
  return { ...single, family: 'POLYGON', parts: [[ring]] }
}
