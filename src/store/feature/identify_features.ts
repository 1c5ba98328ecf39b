import type { AnswerAttachment } from '../../contract/routes/attachment.ts'
import { maxFoundAttachments, maxFoundDescription } from '../../contract/routes/identify.ts'
import { quoteName } from '../../core/sql_quote.ts'
import type { Queryable } from '../../database/database.ts'
import { type ExtensionName, extensionSql } from '../attachment/attachment_json.ts'
import type { Layer } from '../layer/stored_layer.ts'
import { type Bindings, createBindings, geometryProblem, objectSql, transformSql } from './feature_sql.ts'
import { featuresSql, isForeign } from './feature_table.ts'
import { fieldMembers } from './read_features.ts'

/** A feature found at a location. */
export interface IdentifiedFeature {
  readonly id: number
  /** Value of the label field as a string; null without a label field or value. */
  readonly label: string | null
  readonly fields: Readonly<Record<string, unknown>>
  /** HTML, as it is stored; one character longer than the maximum if it is cut off. */
  readonly description: string | null
  /** The first ones. */
  readonly attachments: AnswerAttachment[] | null
}

/** Location and limit of an identify request. */
export interface IdentifyQuery {
  readonly wkt: string
  /** EPSG code of the geometry. */
  readonly srs: number
  /** Maximum number of features. */
  readonly limit: number
  /** Returns a condition as SQL; absent for all features. */
  readonly where?: (bindings: Bindings) => string
  /** SQL of a rank, by which features of table `t` are found from high to low; absent for the order of ids. */
  readonly rank?: string
}

/**
 * Finds the features of a layer that intersect a geometry, ordered by rank or by id.
 *
 * @throws {Problem} feature/invalid if the geometry lies outside the reference system
 */
export async function identifyFeatures(
  tx: Queryable,
  layer: Layer,
  { wkt, srs, limit, where, rank }: IdentifyQuery,
): Promise<IdentifiedFeature[]> {
  const bindings = createBindings()
  const label = layer.fields.find(({ labelField }) => labelField)
  const place = `ST_GeomFromText(${bindings.bind(wkt, 'text')}, ${bindings.bind(srs, 'int')})`
  const text = `select id, ${label ? `${quoteName(label.columnName)}::text` : 'null::text'} as label,
      (${objectSql(bindings, fieldMembers(layer.fields, 'obj'))})::json as fields,
      (${extension('description')})::json as description, (${extension('attachment')})::json as attachments
    from (select * from (select * from ${featuresSql(layer)}) t where ST_Intersects(geom, ${transformSql(place, srs, layer.srs)})${where ? ` and ${where(bindings)}` : ''}
    order by ${rank ? `${rank} desc, ` : ''}id limit ${bindings.bind(limit, 'int')}) found`
  try {
    const rows = await tx.query<IdentifiedFeature>(text, bindings.values)
    return rows.map((row) => ({ ...row, id: Number(row.id) }))
  } catch (error) {
    throw geometryProblem(error)
  }

  // Descriptions and attachments are stored with features of this database only.
  function extension(name: ExtensionName): string {
    const source = { layerId: layer.resourceId, featureId: 'found.id', most }
    return isForeign(layer) ? "'null'" : extensionSql(name, source, bindings)
  }
}

const most = { characters: maxFoundDescription + 1, attachments: maxFoundAttachments }
