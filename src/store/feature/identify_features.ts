import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import type { Layer } from '../layer/stored_layer.ts'
import { createBindings } from './bindings.ts'
import { featuresSql } from './feature_table.ts'
import { geometryProblem, transformSql } from './geometry_sql.ts'
import { objectSql } from './json_sql.ts'
import { fieldMembers } from './read_features.ts'

/** A feature that was found at a place. */
export interface IdentifiedFeature {
  readonly id: number
  /** Value of the label field as text; null where there is no such field or no value. */
  readonly label: string | null
  readonly fields: Readonly<Record<string, unknown>>
}

/** Where to look. */
export interface IdentifyPlace {
  readonly wkt: string
  /** EPSG code of the geometry. */
  readonly srs: number
  /** Most features. */
  readonly limit: number
}

/**
 * Finds the features of a layer that intersect a geometry, in the order of ids.
 *
 * @throws {Problem} feature/invalid where the geometry has no place in the reference system
 */
export async function identifyFeatures(
  tx: Queryable,
  layer: Layer,
  { wkt, srs, limit }: IdentifyPlace,
): Promise<IdentifiedFeature[]> {
  const bindings = createBindings()
  const label = layer.fields.find(({ labelField }) => labelField)
  const place = `ST_GeomFromText(${bindings.bind(wkt, 'text')}, ${bindings.bind(srs, 'int')})`
  const text = `select id, ${label ? `${quoteName(label.columnName)}::text` : 'null::text'} as label,
      (${objectSql(bindings, fieldMembers(layer.fields, 'obj'))})::json as fields
    from ${featuresSql(layer)}
    where ST_Intersects(geom, ${transformSql(place, srs, layer.srs)})
    order by id limit ${bindings.bind(limit, 'int')}`
  try {
    const rows = await tx.query<IdentifiedFeature>(text, bindings.values)
    return rows.map((row) => ({ ...row, id: Number(row.id) }))
  } catch (error) {
    throw geometryProblem(error)
  }
}
