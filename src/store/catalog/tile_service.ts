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

/** A base map that names a geoservice. */
export interface NamingBaseMap {
  /** Id of the resource. */
  readonly id: number
  readonly by: 'key' | 'guid'
}

/** Lists the base maps that name geoservices, by the id of the geoservice. */
export async function listNamingBaseMaps(tx: Queryable): Promise<ReadonlyMap<number, NamingBaseMap[]>> {
  const rows = await tx.query<NamingBaseMap & { service: number }>(
    `select s.id as service, b.resource_id as id, 'key' as by
       from basemap_layer b join geoservice s on s.keyname = trim(b.qms)
      union all
     select s.id, b.resource_id, 'guid'
       from basemap_layer b join geoservice s on s.guid::text = lower(trim(b.qms))
      order by id`,
  )
  const found = new Map<number, NamingBaseMap[]>()
  for (const { service, ...baseMap } of rows) {
    const list = found.get(service)
    if (list === undefined) found.set(service, [baseMap])
    else list.push(baseMap)
  }
  return found
}
