import type { Queryable } from '../../database/database.ts'

/** Returns the devices that other trackers already have. */
export async function findTakenDevices(
  tx: Queryable,
  { devices, ids }: { readonly devices: readonly string[]; readonly ids: readonly number[] },
): Promise<Set<string>> {
  const rows = await tx.query<{ readonly unique_id: string }>(
    'select unique_id from tracker where unique_id = any($1::text[]) and resource_id <> all($2::int[])',
    [devices, ids],
  )
  return new Set(rows.map((row) => row.unique_id))
}
