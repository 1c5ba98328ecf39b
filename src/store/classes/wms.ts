import type { Capabilities } from '../../contract/classes/wmsclient_connection.ts'
import type { Queryable } from '../../database/database.ts'
import { rowTable } from './row_table.ts'

/** A WMS connection as it is kept. */
export interface WmsConnectionRow {
  readonly url: string
  readonly username: string | null
  /** Sealed. */
  readonly password: string | null
  readonly version: '1.1.1' | '1.3.0'
  /** What the service offered when it was asked last. */
  readonly capabilities: Capabilities | null
}

/** WMS connections by resource id. */
export const wmsConnections = rowTable<WmsConnectionRow>('wms_connection', {
  url: 'text',
  username: 'text',
  password: 'text',
  version: 'text',
  capabilities: 'jsonb',
})

/** A WMS layer as it is kept, without its connection. */
export interface WmsLayerRow {
  /** EPSG code. */
  readonly srs: number
  readonly wmslayers: string
  readonly imgformat: string
  readonly vendor_params: Readonly<Record<string, string>>
}

/** WMS layers by resource id. */
export const wmsLayers = rowTable<WmsLayerRow>('wms_layer', {
  srs: 'integer',
  wmslayers: 'text',
  imgformat: 'text',
  vendor_params: 'jsonb',
})

/** Of some EPSG codes, gives those the database knows. */
export async function findKnownSrs(tx: Queryable, codes: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ srid: number }>(
    "select auth_srid as srid from spatial_ref_sys where auth_name = 'EPSG' and auth_srid = any($1::int[])",
    [codes.filter((code) => code > 0 && code < 2 ** 31)],
  )
  return new Set(rows.map(({ srid }) => srid))
}
