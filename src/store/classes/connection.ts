import type { Queryable } from '../../database/database.ts'

/** Finds the connections of layers, by layer. */
export async function findConnections(tx: Queryable, ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.query<{ id: number; connectionId: number }>(
    `select resource_id as id, connection_id as "connectionId" from resource_connection
      where resource_id = any($1::int[])`,
    [ids],
  )
  return new Map(rows.map(({ id, connectionId }) => [id, connectionId]))
}

/** Inserts or updates the connections of layers, by layer. */
export async function writeConnections(
  tx: Queryable,
  connections: ReadonlyMap<number, number>,
): Promise<void> {
  await tx.query(
    `insert into resource_connection (resource_id, connection_id) select * from unnest($1::int[], $2::int[])
     on conflict (resource_id) do update set connection_id = excluded.connection_id`,
    [[...connections.keys()], [...connections.values()]],
  )
}
