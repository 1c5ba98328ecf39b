import type { Queryable } from '../../database/database.ts'

/** A named file of a resource. */
export interface ResourceFile {
  /** Relative path: `maps/north.pdf`. */
  readonly name: string
  readonly mimeType: string
  readonly digest: string
  readonly sizeBytes: number
}

const columns = 'f.name, f.mime_type as "mimeType", f.digest, b.size_bytes::float8 as "sizeBytes"'

/** Lists the files of resources, in order, by resource id; omits resources without files. */
export async function listResourceFiles(
  tx: Queryable,
  ids: readonly number[],
): Promise<Map<number, ResourceFile[]>> {
  const rows = await tx.query<ResourceFile & { readonly resourceId: number }>(
    `select f.resource_id as "resourceId", ${columns}
       from resource_file f join blob b using (digest)
      where f.resource_id = any($1::int[]) order by f.resource_id, f.position`,
    [ids],
  )
  return Map.groupBy(rows, ({ resourceId }) => resourceId)
}

/** Finds a file of a resource by its name. */
export async function findResourceFile(
  tx: Queryable,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<ResourceFile | undefined> {
  const [row] = await tx.query<ResourceFile>(
    `select ${columns} from resource_file f join blob b using (digest) where f.resource_id = $1 and f.name = $2`,
    [id, name],
  )
  return row
}

/**
 * Replaces the files of resources, by resource id. Their content must be stored already; the rows of the blobs are
 * inserted, or locked and their retention restarted.
 */
export async function replaceResourceFiles(
  tx: Queryable,
  files: ReadonlyMap<number, readonly ResourceFile[]>,
): Promise<void> {
  if (files.size === 0) return
  await tx.query('delete from resource_file where resource_id = any($1::int[])', [[...files.keys()]])
  const rows = [...files].flatMap(([id, list]) => list.map((file, position) => ({ ...file, id, position })))
  if (rows.length === 0) return
  await tx.query(
    `with content as (
       insert into blob (digest, size_bytes)
       select distinct f.digest, f."sizeBytes"
         from jsonb_to_recordset($1::jsonb) as f (digest text, "sizeBytes" bigint) order by f.digest
       on conflict (digest) do update set created_at = now() at time zone 'utc')
     insert into resource_file (resource_id, name, position, mime_type, digest)
     select id, name, position, "mimeType", digest
       from jsonb_to_recordset($1::jsonb) as f (
         id int, name text, position int, "mimeType" text, digest text)`,
    [JSON.stringify(rows)],
  )
}
