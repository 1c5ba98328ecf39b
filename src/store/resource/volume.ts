import { descriptorOf } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { rowClsNames } from '../classes/member_table.ts'
import { type ForeignKeyColumn, listReferencingColumns } from '../foreign_key.ts'

const tableBytes = `
  select w.id, pg_total_relation_size(to_regclass(l.table_name)) as bytes
    from wanted w join layer l on l.resource_id = w.id where l.table_name is not null`

/** SQL of the sizes of text columns that count towards the volume of a resource. */
const textBytes = rowClsNames.flatMap((cls) =>
  (descriptorOf(cls).table?.volume ?? []).map(
    (column) => `select w.id, octet_length(t.${column}) from wanted w join ${cls} t on t.resource_id = w.id`,
  ),
)

function fileBytes(columns: readonly ForeignKeyColumn[]): string[] {
  const tables = Map.groupBy(columns, ({ table }) => table)
  return [...tables].map(([table, own]) => {
    const digests = own.map(({ column }) => `t.${column}`).join(', ')
    return `select w.id, b.size_bytes from wanted w join ${table} t on t.resource_id = w.id
              join blob b on b.digest in (${digests})`
  })
}

/**
 * Sums the storage of resources in bytes: feature tables with indexes, files, and style documents. A file shared by
 * several resources counts for each of them. Features in other databases are not counted.
 */
export async function sumVolumes(database: Queryable, ids: readonly number[]): Promise<number> {
  return [...(await readVolumes(database, ids)).values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** Reads the storage of each of several resources in bytes, as `sumVolumes` sums it; resources without storage are absent. */
export async function readVolumes(
  database: Queryable,
  ids: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const files = (await listReferencingColumns(database, 'blob')).filter(({ ofResource }) => ofResource)
  const parts = [tableBytes, ...textBytes, ...fileBytes(files)]
  const rows = await database.query<{ id: number; volume: number }>(
    `with wanted as materialized (select unnest($1::int[]) as id), parts as (${parts.join(' union all ')})
     select id, sum(bytes)::float8 as volume from parts where bytes is not null group by id`,
    [ids],
  )
  return new Map(rows.map(({ id, volume }) => [id, volume]))
}
