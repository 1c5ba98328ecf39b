import type { MetadataValue } from '../../contract/bodies/resource.ts'
import { withOwnId } from '../../contract/field_marks.ts'
import type { Queryable } from '../../database/database.ts'

/** Metadata by key. */
export type Metadata = Readonly<Record<string, MetadataValue>>

/** Metadata by resource. */
export type MetadataLists = ReadonlyMap<number, Metadata>

/** Creates or updates the given keys; null removes a key; other keys are kept. Takes two statements at most. */
export async function mergeMetadata(tx: Queryable, lists: MetadataLists): Promise<void> {
  const entries = [...lists].flatMap(([id, items]) =>
    Object.entries(withOwnId(items, id)).map(([key, value]) => ({ id, key, value })),
  )
  const removed = entries.filter(({ value }) => value === null)
  const kept = entries.filter(({ value }) => value !== null)
  if (removed.length > 0)
    await tx.query(
      `delete from resmeta m using unnest($1::int[], $2::text[]) as w (id, key)
        where m.resource_id = w.id and m.key = w.key`,
      [removed.map(({ id }) => id), removed.map(({ key }) => key)],
    )
  if (kept.length > 0) await tx.query(mergeSql, [JSON.stringify(kept)])
}

const mergeSql = `
  insert into resmeta (resource_id, key, value)
  select id, key, value from json_to_recordset($1::text::json) as w (id int, key text, value jsonb)
  on conflict (resource_id, key) do update set value = excluded.value
   where resmeta.value is distinct from excluded.value`

/** Returns the maximum number of metadata keys of a resource. */
export async function countMostMetadata(tx: Queryable, ids: readonly number[]): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int as count from resmeta where resource_id = any($1::int[])
      group by resource_id order by 1 desc limit 1`,
    [ids],
  )
  return row?.count ?? 0
}

/** Replaces all metadata of resources. */
export async function replaceMetadata(tx: Queryable, lists: MetadataLists): Promise<void> {
  const kept = [...lists].flatMap(([id, items]) => Object.keys(items).map((key) => ({ id, key })))
  await tx.query(
    `delete from resmeta m where m.resource_id = any($1::int[])
        and not exists (select from unnest($2::int[], $3::text[]) as w (id, key)
                         where w.id = m.resource_id and w.key = m.key)`,
    [[...lists.keys()], kept.map(({ id }) => id), kept.map(({ key }) => key)],
  )
  await mergeMetadata(tx, lists)
}

/** Returns SQL that selects the metadata of the resources in an array parameter, as one JSON object `items` each. */
export const metadataSql = (ids: string) => `
  select m.resource_id, json_object_agg(m.key, m.value order by m.key) as items
    from resmeta m where m.resource_id = any(${ids}::int[]) group by m.resource_id`
