import type { ExtensionCounts } from '../../core/extension_counts.ts'
import type { Queryable } from '../../database/database.ts'
import type { Blob } from '../../files/blob_store.ts'
import type { AttachmentPlace } from './attachment_json.ts'

/** A file attached to a feature. */
export interface Attachment {
  readonly id: number
  readonly name: string
  readonly mimeType: string
  readonly digest: string
  readonly sizeBytes: number
  /** Whether the file is an image with a preview; null until a preview was requested. */
  readonly isImage: boolean | null
  readonly previewDigest: string | null
}

/** An attachment to create. */
export interface NewAttachment {
  readonly featureId: number
  readonly name: string
  readonly mimeType: string
  readonly description: string | null
  readonly digest: string
}

/** Changes to an attachment; undefined members are kept. */
export interface AttachmentChange {
  readonly id: number
  readonly name: string | undefined
  readonly description: string | null | undefined
}

/** Finds an attachment. */
export async function findAttachment(
  tx: Queryable,
  { layerId, featureId, id }: AttachmentPlace,
): Promise<Attachment | undefined> {
  const [row] = await tx.query<Attachment>(
    `select a.id, a.name, a.mime_type as "mimeType", a.digest, b.size_bytes::float8 as "sizeBytes",
            a.is_image as "isImage", a.preview_digest as "previewDigest"
       from attachment a join blob b using (digest)
      where a.layer_id = $1::int and a.feature_id = $2::bigint and a.id = $3::bigint`,
    [layerId, featureId, id ?? null],
  )
  return row
}

/**
 * Returns a common table expression that increments the version of the descriptions and attachments of layer `$1`, if a row set has
 * rows. The layer must be locked.
 */
const countedSql = (rows: string) => `counted as (
  update layer set extensions_version = extensions_version + 1
   where resource_id = $1::int and exists (select from ${rows}))`

/** Adds attachments to the features of a layer; returns their ids, in the same order. The rows of the blobs must exist. */
export async function insertAttachments(
  tx: Queryable,
  layerId: number,
  attachments: readonly NewAttachment[],
): Promise<number[]> {
  if (attachments.length === 0) return []
  // Defaults are evaluated after sorting, so ids increase in the order of the list.
  const rows = await tx.query<{ id: number }>(
    `with added as (
       insert into attachment (layer_id, feature_id, name, mime_type, description, digest)
       select $1::int, f, n, m, d, g
         from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
           with ordinality as r (f, n, m, d, g, place) order by place
       returning id), ${countedSql('added')}
     select id from added`,
    [
      layerId,
      attachments.map(({ featureId }) => featureId),
      attachments.map(({ name }) => name),
      attachments.map(({ mimeType }) => mimeType),
      attachments.map(({ description }) => description),
      attachments.map(({ digest }) => digest),
    ],
  )
  return rows.map(({ id }) => id).sort((a, b) => a - b)
}

/** Updates attachments; returns the feature id of each that exists, by attachment id. */
export async function updateAttachments(
  tx: Queryable,
  layerId: number,
  changes: readonly AttachmentChange[],
): Promise<Map<number, number>> {
  if (changes.length === 0) return new Map()
  const rows = await tx.query<{ id: number; featureId: number }>(
    `with written as (
       update attachment a
          set name = coalesce(c.name, a.name), description = case when c.keeps then a.description else c.description end
         from unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[]) as c (id, name, description, keeps)
        where a.layer_id = $1::int and a.id = c.id
       returning a.id, a.feature_id::float8 as "featureId"), ${countedSql('written')}
     select * from written`,
    [
      layerId,
      changes.map(({ id }) => id),
      changes.map(({ name }) => name ?? null),
      changes.map(({ description }) => description ?? null),
      changes.map(({ description }) => description === undefined),
    ],
  )
  return new Map(rows.map(({ id, featureId }) => [id, featureId]))
}

/** Deletes the attachments of features, except those in `keptIds`. */
export async function deleteOtherAttachments(
  tx: Queryable,
  layerId: number,
  { featureIds, keptIds }: { readonly featureIds: readonly number[]; readonly keptIds: readonly number[] },
): Promise<void> {
  if (featureIds.length === 0) return
  await tx.query(
    `with gone as (
       delete from attachment
        where layer_id = $1::int and feature_id = any($2::bigint[]) and id <> all($3::bigint[])
       returning id), ${countedSql('gone')}
     select from gone limit 0`,
    [layerId, featureIds, keptIds],
  )
}

/** Deletes an attachment; returns whether it existed. */
export async function deleteAttachment(
  tx: Queryable,
  { layerId, featureId, id }: AttachmentPlace,
): Promise<boolean> {
  const rows = await tx.query(
    `with gone as (
       delete from attachment where layer_id = $1::int and feature_id = $2::bigint and id = $3::bigint returning id
     ), ${countedSql('gone')}
     select id from gone`,
    [layerId, featureId, id ?? null],
  )
  return rows.length > 0
}

/** Deletes all attachments and descriptions of the features of a layer. */
export async function deleteLayerExtensions(tx: Queryable, layerId: number): Promise<void> {
  await clearExtension(tx, layerId, 'attachment')
  await clearExtension(tx, layerId, 'description')
}

/** Deletes the attachments of all features of a layer, or their descriptions. */
export async function clearExtension(
  tx: Queryable,
  layerId: number,
  name: 'attachment' | 'description',
): Promise<void> {
  const table = name === 'attachment' ? 'attachment' : 'feature_description'
  await tx.query(
    `with gone as (delete from ${table} where layer_id = $1::int returning layer_id), ${countedSql('gone')}
     select from gone limit 0`,
    [layerId],
  )
}

/** Deletes attachments and descriptions of features of a layer whose ids are not in a table. */
export async function deleteOrphanedExtensions(
  tx: Queryable,
  layerId: number,
  tableName: string,
): Promise<void> {
  for (const table of ['attachment', 'feature_description'])
    await tx.query(
      `delete from ${table} e where layer_id = $1::int
        and not exists (select from ${tableName} f where f.id = e.feature_id)`,
      [layerId],
    )
}

/** Counts the rows that `deleteOrphanedExtensions` would delete; without a table, those of `deleteLayerExtensions`. */
export async function countOrphanedExtensions(
  tx: Queryable,
  layerId: number,
  tableName?: string,
): Promise<ExtensionCounts> {
  const isOrphaned =
    tableName === undefined ? '' : `and not exists (select from ${tableName} f where f.id = e.feature_id)`
  const count = (table: string) =>
    `(select count(*)::int from ${table} e where layer_id = $1::int ${isOrphaned})`
  const [row] = await tx.query<ExtensionCounts>(
    `select ${count('attachment')} as attachments, ${count('feature_description')} as descriptions`,
    [layerId],
  )
  return row ?? { attachments: 0, descriptions: 0 }
}

/** Copies the stored preview of the same content to attachments that lack it; returns whether there was one. */
export async function copyPreview(tx: Queryable, digest: string): Promise<boolean> {
  const rows = await tx.query(
    `update attachment a set is_image = k.is_image, preview_digest = k.preview_digest
       from (select is_image, preview_digest from attachment
              where digest = $1 and is_image is not null limit 1) k
      where a.digest = $1 and a.is_image is null
     returning a.id`,
    [digest],
  )
  return rows.length > 0
}

/** Stores the preview of some content, or null if it has none, for every attachment without a recorded result. */
export async function writePreview(tx: Queryable, digest: string, preview: Blob | null): Promise<void> {
  if (preview !== null)
    await tx.query(
      `insert into blob (digest, size_bytes) values ($1, $2)
       on conflict (digest) do update set created_at = now() at time zone 'utc'`,
      [preview.digest, preview.sizeBytes],
    )
  await tx.query(
    'update attachment set is_image = $2::boolean, preview_digest = $3 where digest = $1 and is_image is null',
    [digest, preview !== null, preview?.digest ?? null],
  )
}

/** Writes descriptions of features of a layer; null removes one. */
export async function writeDescriptions(
  tx: Queryable,
  layerId: number,
  descriptions: ReadonlyMap<number, string | null>,
): Promise<void> {
  if (descriptions.size === 0) return
  const ids = [...descriptions.keys()]
  await tx.query(
    `with gone as (
       delete from feature_description where layer_id = $1::int and feature_id = any($2::bigint[])
       returning feature_id), ${countedSql('gone')}
     select from gone limit 0`,
    [layerId, ids],
  )
  await tx.query(
    `with added as (
       insert into feature_description (layer_id, feature_id, description)
       select $1::int, id, description from unnest($2::bigint[], $3::text[]) as d (id, description)
        where description is not null
       returning feature_id), ${countedSql('added')}
     select from added limit 0`,
    [layerId, ids, [...descriptions.values()]],
  )
}

/** Counts the attachments of layers; layers without one are absent. */
export async function countAttachments(
  database: Queryable,
  layerIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await database.query<{ id: number; count: number }>(
    'select layer_id as id, count(*)::int as count from attachment where layer_id = any($1::int[]) group by layer_id',
    [layerIds],
  )
  return new Map(rows.map(({ id, count }) => [id, count]))
}
