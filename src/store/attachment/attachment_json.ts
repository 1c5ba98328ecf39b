import type { Queryable } from '../../database/database.ts'
import type { Bindings } from '../feature/bindings.ts'
import type { JsonSql } from '../feature/json_sql.ts'

/** Parts of a feature beside its geometry and fields. */
export const extensionNames = ['description', 'attachment'] as const

/** One of those parts. */
export type ExtensionName = (typeof extensionNames)[number]

/** Writes an attachment as JSON. Whether one that nobody has tried to show is a picture, its media type says. */
const itemSql = `json_build_object('id', a.id, 'name', a.name, 'size', b.size_bytes, 'mime_type', a.mime_type,
  'description', a.description, 'is_image', coalesce(a.is_image, a.mime_type like 'image/%'))::text`

/** SQL that writes what the features of a layer of our own have beside, by name. */
export interface ExtensionSql {
  readonly layerId: number
  /** SQL of the feature's id; nothing in an attachment goes by the same name. */
  readonly featureId: string
}

/** Gives SQL that writes one part of a feature as JSON. A layer that has none of it is looked through once, not once a feature. */
export function extensionSql(
  name: ExtensionName,
  { layerId, featureId }: ExtensionSql,
  bindings: Bindings,
): JsonSql {
  const layer = bindings.bind(layerId, 'int')
  if (name === 'description')
    return `case when exists (select from feature_description d where d.layer_id = ${layer})
      then coalesce((select to_json(d.description)::text from feature_description d
        where d.layer_id = ${layer} and d.feature_id = ${featureId}), 'null') else 'null' end`
  return `case when exists (select from attachment a where a.layer_id = ${layer})
    then coalesce((select '[' || string_agg(${itemSql}, ',' order by a.id) || ']'
      from attachment a join blob b using (digest)
      where a.layer_id = ${layer} and a.feature_id = ${featureId}), 'null') else 'null' end`
}

/** Where attachments are: all of a feature, or one. */
export interface AttachmentPlace {
  readonly layerId: number
  readonly featureId: number
  readonly id?: number | undefined
}

/** Lists attachments as JSON texts, in order. */
export async function listAttachmentTexts(
  tx: Queryable,
  { layerId, featureId, id }: AttachmentPlace,
): Promise<string[]> {
  const rows = await tx.query<{ item: string }>(
    `select ${itemSql} as item from attachment a join blob b using (digest)
      where a.layer_id = $1::int and a.feature_id = $2::bigint and ($3::bigint is null or a.id = $3) order by a.id`,
    [layerId, featureId, id ?? null],
  )
  return rows.map(({ item }) => item)
}
