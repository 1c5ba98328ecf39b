import type { Queryable } from '../../database/database.ts'

/**
 * Sums the storage of resources in bytes: feature tables with indexes, files, and style documents. A file shared by
 * several resources counts for each of them. Features in other databases are not counted.
 */
export async function sumVolumes(database: Queryable, ids: readonly number[]): Promise<number> {
  const [row] = await database.query<{ volume: number }>(
    `with requested as materialized (select unnest($1::int[]) as id),
     parts as (
       select pg_total_relation_size(to_regclass(l.table_name)) as bytes
         from requested a join layer l on l.resource_id = a.id where l.table_name is not null
       union all
       select b.size_bytes from requested a join resource_file f on f.resource_id = a.id join blob b using (digest)
       union all
       select b.size_bytes
         from requested a join raster_layer r on r.resource_id = a.id
         join blob b on b.digest in (r.digest, r.source_digest)
       union all
       select octet_length(s.qml) from requested a join desk_style s on s.resource_id = a.id
       union all
       select octet_length(s.xml) from requested a join map_style s on s.resource_id = a.id)
     select coalesce(sum(bytes), 0)::float8 as volume from parts`,
    [ids],
  )
  return row?.volume ?? 0
}
