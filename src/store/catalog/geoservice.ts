import { foreignMembers, type GeoserviceDetail, type GeoserviceType } from '../../contract/catalog/catalog.ts'
import type { Queryable } from '../../database/database.ts'
import { createBindings, type JsonMember, objectSql } from '../feature/feature_sql.ts'
import { ewktSql, plainSql, textSql } from './geoservice_query.ts'

/** A geoservice with all columns; the address is as it was written. */
export type StoredGeoservice = Omit<GeoserviceDetail, 'alt_urls' | 'origin_url'>

/** Finds a geoservice with the members of its type. */
export async function findGeoservice(tx: Queryable, id: number): Promise<StoredGeoservice | undefined> {
  const bindings = createBindings()
  const detail = objectSql(bindings, detailMembers)
  const [row] = await tx.query<{ item: string; detail: string }>(
    `select s.item, ${detail} as detail from geoservice s where s.id = ${bindings.bind(id, 'bigint')}`,
    bindings.values,
  )
  if (row === undefined) return undefined
  return keepTypeMembers({ ...JSON.parse(row.item), ...JSON.parse(row.detail) })
}

const texts = [
  'url',
  'license_name',
  'license_url',
  'copyright_text',
  'copyright_url',
  'terms_of_use_url',
  'source',
  'source_url',
  'params',
  'layers',
  'format',
  'layer',
] as const

const plains = ['boundary_area', 'z_min', 'z_max', 'y_origin_top', 'turn_over'] as const

const detailMembers: readonly JsonMember[] = [
  ...texts.map((name): JsonMember => [name, textSql(`s.${name}`)]),
  ...plains.map((name): JsonMember => [name, plainSql(`s.${name}`)]),
  ['boundary', ewktSql('s.boundary')],
  ['last_status', plainSql('s.last_status_id')],
]

/** Removes the members of other types. */
export function keepTypeMembers<T extends { readonly type: GeoserviceType }>(all: T): T {
  const foreign = foreignMembers(all.type)
  return Object.fromEntries(Object.entries(all).filter(([name]) => !foreign.includes(name))) as T
}

/** Tells whether somebody with this global identifier exists. */
export async function isSubmitter(tx: Queryable, guid: string): Promise<boolean> {
  const rows = await tx.query("select from principal where guid = $1::uuid and kind = 'user'", [guid])
  return rows.length > 0
}

/** Tells whether a geoservice exists. */
export async function isGeoservice(tx: Queryable, id: number): Promise<boolean> {
  return (await tx.query('select from geoservice where id = $1::bigint', [id])).length > 0
}
