import type { RasterFacts } from '../../contract/bodies/raster.ts'
import type { Queryable } from '../../database/database.ts'

/** The raster of a layer, and the digests of its files. */
export interface Raster extends RasterFacts {
  readonly resourceId: number
  /** Digest of the cloud optimized GeoTIFF. */
  readonly digest: string
  readonly sizeBytes: number
  /** Digest of the uploaded file. */
  readonly sourceDigest: string
  readonly sourceSizeBytes: number
  readonly sourceName: string | null
  /** Number of rasters loaded so far. */
  readonly dataVersion: number
}

/** Finds rasters by resource id, in one statement; omits ids of other resources. */
export async function findRasters(tx: Queryable, ids: readonly number[]): Promise<Map<number, Raster>> {
  const rows = await tx.query<Raster>(
    `select r.resource_id as "resourceId", r.digest, c.size_bytes::float8 as "sizeBytes",
            r.source_digest as "sourceDigest", s.size_bytes::float8 as "sourceSizeBytes",
            r.source_name as "sourceName", r.srs, r.xsize, r.ysize, r.dtype,
            r.color_interpretation as "colorInterpretation", r.geo_transform as "geoTransform",
            r.data_version as "dataVersion", r.statistics
       from raster_layer r join blob c using (digest) join blob s on s.digest = r.source_digest
      where r.resource_id = any($1::int[])`,
    [ids],
  )
  return new Map(rows.map((row) => [row.resourceId, row]))
}

/** A style of a raster layer. */
export interface RasterStyle {
  readonly id: number
  readonly layerId: number
  readonly name: string
}

/** Finds the raster styles among some resources, and those of the raster layers among them. */
export async function findRasterStyles(tx: Queryable, ids: readonly number[]): Promise<RasterStyle[]> {
  return tx.query<RasterStyle>(
    `select id, parent_id as "layerId", display_name as name
       from resource
      where cls = 'raster_style' and (id = any($1::int[]) or parent_id = any($1::int[]))
      order by id`,
    [ids],
  )
}

/**
 * Assigns prepared rasters to layers, by resource id, in one statement, replacing existing ones. Returns the layers whose
 * prepared raster no longer exists, because another request has used it or it has expired.
 */
export async function adoptRasters(tx: Queryable, prepared: ReadonlyMap<number, string>): Promise<number[]> {
  if (prepared.size === 0) return []
  const wanted = [...prepared].map(([resourceId, id]) => ({ resourceId, id }))
  const rows = await tx.query<{ readonly id: number }>(
    `with taken as (
       delete from prepared_raster p
        using jsonb_to_recordset($1::jsonb) as w ("resourceId" int, id text)
        where p.id = w.id
       returning w."resourceId" as resource_id, p.digest, p.source_digest, p.source_name, p.facts)
     insert into raster_layer as r (
       resource_id, digest, source_digest, source_name, srs, xsize, ysize, dtype, color_interpretation, geo_transform, statistics)
     select resource_id, digest, source_digest, source_name, (facts->>'srs')::int, (facts->>'xsize')::int,
            (facts->>'ysize')::int, facts->>'dtype', facts->'colorInterpretation', facts->'geoTransform', facts->'statistics'
       from taken
     on conflict (resource_id) do update
        set digest = excluded.digest, source_digest = excluded.source_digest, source_name = excluded.source_name,
            srs = excluded.srs, xsize = excluded.xsize, ysize = excluded.ysize, dtype = excluded.dtype,
            color_interpretation = excluded.color_interpretation, geo_transform = excluded.geo_transform,
            statistics = excluded.statistics,
            data_version = r.data_version + 1
     returning resource_id as id`,
    [JSON.stringify(wanted)],
  )
  const adopted = new Set(rows.map(({ id }) => id))
  return [...prepared.keys()].filter((id) => !adopted.has(id))
}
