import type { Queryable } from '../../database/database.ts'
import type { Boundary } from '../../geo/boundary.ts'
import { geoserviceColumns } from './catalog_record.ts'

/** Icon with all its columns. */
export interface IconRow {
  readonly id: number
  readonly keyname: string | null
  readonly manifest: string | null
  readonly name: string
  readonly guid: string
  /** Absent to keep the stored image. */
  readonly image?:
    | { readonly bytes: Uint8Array; readonly drawn: Uint8Array; readonly digest: string }
    | undefined
}

/** Geoservice with all its columns. */
export interface GeoserviceRow {
  readonly id: number
  /** Values by column. */
  readonly columns: Readonly<Record<string, unknown>>
  readonly iconId: number | null
  readonly boundaryText: string | null
  readonly boundary: Boundary | undefined
}

const iconColumns = `id integer, keyname text, manifest text, name text, guid uuid, image text, drawn text, digest text`

/** Adds icons. */
export async function insertIcons(tx: Queryable, icons: readonly IconRow[]): Promise<void> {
  await tx.query(
    `insert into catalog_icon (id, keyname, manifest, name, guid, image, drawn, digest)
     select id, keyname, manifest, name, guid, decode(image, 'base64'), decode(drawn, 'base64'), digest
       from json_to_recordset($1::json) as r (${iconColumns})`,
    [toJson(icons.map(iconOf))],
  )
}

/** Changes icons. */
export async function updateIcons(tx: Queryable, icons: readonly IconRow[]): Promise<void> {
  await tx.query(
    `update catalog_icon i set keyname = r.keyname, manifest = r.manifest, name = r.name,
            image = coalesce(decode(r.image, 'base64'), i.image),
            drawn = coalesce(decode(r.drawn, 'base64'), i.drawn), digest = coalesce(r.digest, i.digest),
            version = i.version + 1
       from json_to_recordset($1::json) as r (${iconColumns}) where i.id = r.id`,
    [toJson(icons.map(iconOf))],
  )
}

function iconOf({ image, ...row }: IconRow) {
  if (image === undefined) return row
  const { bytes, drawn, digest } = image
  return { ...row, image: toBase64(bytes), drawn: toBase64(drawn), digest }
}

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

const types: Readonly<Record<string, string>> = {
  guid: 'uuid',
  epsg: 'integer',
  z_min: 'integer',
  z_max: 'integer',
  y_origin_top: 'boolean',
  turn_over: 'boolean',
}
const quoted = geoserviceColumns.map((name) => `"${name}"`)
const geoserviceRecordset = [
  'id integer, icon_id integer, boundary_text text, wkt text, srs integer',
  ...geoserviceColumns.map((name) => `"${name}" ${types[name] ?? 'text'}`),
].join(', ')
const boundarySql = 'ST_Transform(ST_SetSRID(ST_GeomFromText(r.wkt), r.srs), 4326)'

/** Adds geoservices. */
export async function insertGeoservices(
  tx: Queryable,
  rows: readonly GeoserviceRow[],
  submitterId: number,
): Promise<void> {
  await tx.query(
    `insert into geoservice (id, submitter, icon_id, boundary_text, boundary, ${quoted.join(', ')})
     select r.id, (select guid from principal where id = $2), r.icon_id, r.boundary_text, ${boundarySql},
            ${quoted.map((name) => `r.${name}`).join(', ')}
       from json_to_recordset($1::json) as r (${geoserviceRecordset})`,
    [toJson(rows.map(geoserviceOf)), submitterId],
  )
}

/** Changes geoservices. */
export async function updateGeoservices(tx: Queryable, rows: readonly GeoserviceRow[]): Promise<void> {
  await tx.query(
    `update geoservice s set icon_id = r.icon_id, boundary_text = r.boundary_text, boundary = ${boundarySql},
            ${quoted.map((name) => `${name} = r.${name}`).join(', ')},
            version = s.version + 1, updated_at = now() at time zone 'utc'
       from json_to_recordset($1::json) as r (${geoserviceRecordset}) where s.id = r.id`,
    [toJson(rows.map(geoserviceOf))],
  )
}

function geoserviceOf({ id, columns, iconId, boundaryText, boundary }: GeoserviceRow) {
  return { ...columns, ...boundary, id, icon_id: iconId, boundary_text: boundaryText }
}

const toJson = (rows: readonly object[]) => JSON.stringify(rows)

/** Reason why a boundary cannot be stored, with its position in the list. */
export interface BoundaryFault {
  readonly at: number
  readonly reason: string
}

/**
 * Finds the first boundary that cannot be stored, because its rings cross or it has no area.
 *
 * @throws {Problem} database/query if PostGIS cannot transform one of them
 */
export async function findInvalidBoundary(
  tx: Queryable,
  boundaries: readonly Boundary[],
): Promise<BoundaryFault | undefined> {
  const [row] = await tx.query<BoundaryFault>(
    `with given as (
       select at::integer - 1 as at, ST_Transform(ST_SetSRID(ST_GeomFromText(wkt), srs), 4326) as geometry
         from unnest($1::text[], $2::integer[]) with ordinality as g (wkt, srs, at))
     select at, case when ST_IsValid(geometry) then 'the boundary has no area' else ST_IsValidReason(geometry) end
              as reason
       from given where not ST_IsValid(geometry) or ST_Area(geometry) = 0 order by at limit 1`,
    [boundaries.map(({ wkt }) => wkt), boundaries.map(({ srs }) => srs)],
  )
  return row
}
