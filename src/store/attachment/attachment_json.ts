import type { Queryable } from '../../database/database.ts'
import type { Bindings, JsonSql } from '../feature/feature_sql.ts'

/** Extensions of a feature: data beside its geometry and fields. */
export const extensionNames = ['description', 'attachment'] as const

/** Name of a feature extension. */
export type ExtensionName = (typeof extensionNames)[number]

/** SQL of an attachment as JSON. Until a preview was requested, the media type decides whether it is an image. */
const itemSql = `json_build_object('id', a.id, 'name', a.name, 'size', b.size_bytes, 'mime_type', a.mime_type,
  'description', a.description, 'is_image', coalesce(a.is_image, a.mime_type like 'image/%'))::text`

/** The feature whose extensions are written; its layer is in this database. */
export interface ExtensionSource {
  readonly layerId: number
  /** SQL of the feature's id; it must not clash with a column of attachments. */
  readonly featureId: string
  /** Maximum of what is written of a feature; absent for everything. */
  readonly most?: { readonly characters: number; readonly attachments: number } | undefined
}

/** Returns SQL that writes an extension as JSON. Whether the layer has any is checked once, not for each feature. */
export function extensionSql(
  name: ExtensionName,
  { layerId, featureId, most }: ExtensionSource,
  bindings: Bindings,
): JsonSql {
  const layer = bindings.bind(layerId, 'int')
  if (name === 'description')
    return `case when exists (select from feature_description d where d.layer_id = ${layer})
      then coalesce((select to_json(${most ? `left(d.description, ${bindings.bind(most.characters, 'int')})` : 'd.description'})::text
        from feature_description d where d.layer_id = ${layer} and d.feature_id = ${featureId}), 'null') else 'null' end`
  const limit = most ? `order by a.id limit ${bindings.bind(most.attachments, 'int')}` : ''
  return `case when exists (select from attachment a where a.layer_id = ${layer})
    then coalesce((select '[' || string_agg(${itemSql}, ',' order by a.id) || ']'
      from (select * from attachment a where a.layer_id = ${layer} and a.feature_id = ${featureId} ${limit}) a
      join blob b using (digest)), 'null') else 'null' end`
}

/** The attachments of a feature, or one of them. */
export interface AttachmentPlace {
  readonly layerId: number
  readonly featureId: number
  readonly id?: number | undefined
}

/** Lists attachments as JSON strings, ordered by id. */
export async function listAttachmentJson(
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
