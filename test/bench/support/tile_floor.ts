import pg from 'pg'
import type { TileQuery } from './tile_addresses.ts'

/** PostgreSQL alone: `ST_AsMVT` on the tables of layers, the least that a tile server can take. */
export interface TileFloor {
  /** Encodes a tile of layers with all their features, in one statement. */
  encode(tile: TileQuery, layers: readonly number[]): Promise<Uint8Array>
  close(): Promise<void>
}

/** Opens connections to the database of a server. */
export async function openTileFloor(databaseUrl: string, connections: number): Promise<TileFloor> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connections })
  const { rows } = await pool.query<LayerColumns>(
    `select resource_id as id, table_name as table,
            (select string_agg(format(', %I as %I', column_name, keyname), '' order by position)
               from landform.layer_field f where f.layer_id = l.resource_id) as columns
       from landform.layer l`,
  )
  return {
    async encode(tile, layers) {
      const { z, x, y } = Object.fromEntries(new URLSearchParams(tile))
      const wanted = layers.flatMap((id) => rows.find((row) => row.id === id) ?? [])
      const text = `select ${wanted.map(encodeSql).join(' || ')} as tile`
      const query = { name: `tile of ${layers}`, text, values: [z, x, y] }
      return (await pool.query<{ tile: Uint8Array }>(query)).rows[0]?.tile ?? new Uint8Array()
    },
    close: () => pool.end(),
  }
}

interface LayerColumns {
  readonly id: number
  readonly table: string
  /** SQL of the fields, each with a leading comma. */
  readonly columns: string
}

/** With a margin of a 64th of the tile, like Martin. */
function encodeSql({ id, table, columns }: LayerColumns): string {
  const tile = 'ST_TileEnvelope($1::int, $2::int, $3::int)'
  const box = 'ST_TileEnvelope($1::int, $2::int, $3::int, margin => 0.015625)'
  return `(select ST_AsMVT(f, 'svc:${id}', 4096, 'tile geometry', 'tile id')
    from (select id as "tile id", ST_AsMVTGeom(geom, ${tile}, 4096, 64, true) as "tile geometry"${columns}
      from landform.${table} where geom && ${box}) f)`
}
