import { descriptorOf } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'
import { rowClsNames } from '../classes/member_table.ts'
import { type ForeignKeyColumn, listReferencingColumns } from '../foreign_key.ts'

const tableBytes = `
  select pg_total_relation_size(to_regclass(l.table_name)) as bytes
    from wanted w join layer l on l.resource_id = w.id where l.table_name is not null`

/** SQL of the sizes of text columns that count towards the volume of a resource. */
const textBytes = rowClsNames.flatMap((cls) =>
  (descriptorOf(cls).table?.volume ?? []).map(
    (column) => `select octet_length(t.${column}) from wanted w join ${cls} t on t.resource_id = w.id`,
  ),
)

function fileBytes(columns: readonly ForeignKeyColumn[]): string[] {
  const tables = Map.groupBy(columns, ({ table }) => table)
  return [...tables].map(([table, own]) => {
    const digests = own.map(({ column }) => `t.${column}`).join(', ')
    return `select b.size_bytes from wanted w join ${table} t on t.resource_id = w.id
              join blob b on b.digest in (${digests})`
  })
}

/**
 * Sums the storage of resources in bytes: feature tables with indexes, files, and style documents. A file shared by
 * several resources counts for each of them. Features in other databases are not counted.
 */
export async function sumVolumes(database: Queryable, ids: readonly number[]): Promise<number> {
  const files = (await listReferencingColumns(database, 'blob')).filter(({ ofResource }) => ofResource)
  const parts = [tableBytes, ...textBytes, ...fileBytes(files)]
  const [row] = await database.query<{ volume: number }>(
    `with wanted as materialized (select unnest($1::int[]) as id), parts as (${parts.join(' union all ')})
     select coalesce(sum(bytes), 0)::float8 as volume from parts`,
    [ids],
  )
  return row?.volume ?? 0
}
