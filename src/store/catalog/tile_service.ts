import type { Tiles } from '../../contract/classes/basemap_layer.ts'
import type { Queryable } from '../../database/database.ts'

/** Geoservice of tiles. */
export interface TileService extends Tiles {
  readonly y_origin_top: boolean
  readonly epsg: number | null
}

/** Geoservices of tiles by the key or guid that was asked for. */
export type TileServices = ReadonlyMap<string, TileService>

/** Finds geoservices of tiles by their keys or guids. */
export async function findTileServices(tx: Queryable, names: readonly string[]): Promise<TileServices> {
  if (names.length === 0) return new Map()
  const rows = await tx.query<TileService & { name: string }>(
    `select asked.name, s.url, s.copyright_text, s.copyright_url, s.z_min, s.z_max, s.y_origin_top, s.epsg
       from unnest($1::text[]) as asked (name)
       join geoservice s on s.type = 'tms' and (s.keyname = asked.name or s.guid::text = lower(asked.name))`,
    [[...new Set(names)]],
  )
  return new Map(rows.map(({ name, ...service }) => [name, service]))
}
