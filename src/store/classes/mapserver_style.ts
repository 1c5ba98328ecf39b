import type { Queryable } from '../../database/database.ts'

/** Reads the XML of styles by resource id; ids that are no such style are left out. */
export async function findStyleXml(tx: Queryable, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.query<{ id: number; xml: string }>(
    'select resource_id as id, xml from map_style where resource_id = any($1::int[])',
    [ids],
  )
  return new Map(rows.map(({ id, xml }) => [id, xml]))
}

/** Gives styles their XML, by resource id, whether they had one or not. */
export async function writeStyleXml(tx: Queryable, xml: ReadonlyMap<number, string>): Promise<void> {
  await tx.query(
    `insert into map_style (resource_id, xml) select * from unnest($1::int[], $2::text[])
     on conflict (resource_id) do update set xml = excluded.xml`,
    [[...xml.keys()], [...xml.values()]],
  )
}
