import { markerKeys } from '../../contract/markers.ts'
import type { MetadataValue } from '../../contract/resource.ts'
import type { Queryable } from '../../database/database.ts'

/** Metadata by key. */
export type Metadata = Readonly<Record<string, MetadataValue>>

/** Creates or updates the given keys; null removes a key; other keys are kept. */
export async function mergeMetadata(tx: Queryable, id: number, items: Metadata): Promise<void> {
  const entries = Object.entries(withOwnId(items, id))
  const removed = entries.filter(([, value]) => value === null).map(([key]) => key)
  const kept = Object.fromEntries(entries.filter(([, value]) => value !== null))
  if (removed.length > 0)
    await tx.query('delete from resmeta where resource_id = $1 and key = any($2::text[])', [id, removed])
  if (Object.keys(kept).length > 0) await tx.query(mergeMetadataSql, [id, JSON.stringify(kept)])
}

/** Counts the metadata keys of a resource. */
export async function countMetadata(tx: Queryable, id: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::int as count from resmeta where resource_id = $1',
    [id],
  )
  return row?.count ?? 0
}

/** Replaces all metadata of a resource. */
export async function replaceMetadata(tx: Queryable, id: number, items: Metadata): Promise<void> {
  await tx.query('delete from resmeta where resource_id = $1 and not key = any($2::text[])', [
    id,
    Object.keys(items),
  ])
  await mergeMetadata(tx, id, items)
}

/** Merges metadata without nulls: `$1` the resource, `$2` a JSON object. */
export const mergeMetadataSql = `
  insert into resmeta (resource_id, key, value)
  select $1::int, key, value from jsonb_each($2::jsonb)
  on conflict (resource_id, key) do update set value = excluded.value`

/** Returns SQL that selects the metadata of the resources in an array parameter, as one JSON object `items` each. */
export const metadataSql = (ids: string) => `
  select m.resource_id, json_object_agg(m.key, m.value order by m.key) as items
    from resmeta m where m.resource_id = any(${ids}::int[]) group by m.resource_id`

/** Fills in the resource's id where a manager marker has 0, because clients do not know the id before creation. */
export function withOwnId(items: Metadata, id: number): Metadata {
  const manager = items[markerKeys.manager]
  if (typeof manager !== 'string' || !/^[^/]+\/0$/.test(manager)) return items
  return { ...items, [markerKeys.manager]: manager.replace(/0$/, String(id)) }
}
