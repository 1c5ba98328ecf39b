import type { Queryable } from '../../database/database.ts'
import { rowTable } from './row_table.ts'

/** A tracker as it is kept. */
export interface TrackerRow {
  readonly unique_id: string
  readonly description: string | null
  readonly device_type: 'svc_mobile'
  readonly consumption_lpkm: number | null
  readonly is_registered: string | null
}

/** Trackers by resource id. */
export const trackers = rowTable<TrackerRow>('tracker', {
  unique_id: 'text',
  description: 'text',
  device_type: 'text',
  consumption_lpkm: 'float8',
  is_registered: 'text',
})

/** Of some devices, gives those that trackers outside of a set have already. */
export async function findTakenDevices(
  tx: Queryable,
  { devices, ids }: { readonly devices: readonly string[]; readonly ids: readonly number[] },
): Promise<Set<string>> {
  const rows = await tx.query<Pick<TrackerRow, 'unique_id'>>(
    'select unique_id from tracker where unique_id = any($1::text[]) and resource_id <> all($2::int[])',
    [devices, ids],
  )
  return new Set(rows.map((row) => row.unique_id))
}
