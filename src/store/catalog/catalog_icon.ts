import type { Queryable } from '../../database/database.ts'
import { createBindings, type JsonMember, objectSql } from '../feature/feature_sql.ts'
import { type Page, pageSql, plainSql, textSql } from './geoservice_query.ts'

/** Picture of an icon. */
export interface IconImage {
  readonly image: Uint8Array
  /** SHA-256 of the image as it was uploaded, in hexadecimal. */
  readonly digest: string
}

const members: readonly JsonMember[] = [
  ['id', plainSql('i.id')],
  ['guid', textSql('i.guid')],
  ['name', textSql('i.name')],
]

/** Lists icons whose name has a text, each as JSON text. */
export async function listIcons(tx: Queryable, search: string, page: Page): Promise<string[]> {
  const bindings = createBindings()
  const record = objectSql(bindings, members)
  const rows = await tx.query<{ record: string }>(
    `select ${record} as record from catalog_icon i
      where position(lower(${bindings.bind(search, 'text')}) in lower(i.name)) > 0
      order by i.id ${pageSql(bindings, page)}`,
    bindings.values,
  )
  return rows.map((row) => row.record)
}

/** Counts icons whose name has a text. */
export async function countIcons(tx: Queryable, search: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    'select count(*)::integer as count from catalog_icon where position(lower($1::text) in lower(name)) > 0',
    [search],
  )
  return row?.count ?? 0
}

/** Finds an icon, as JSON text. */
export async function findIcon(tx: Queryable, id: number): Promise<string | undefined> {
  const bindings = createBindings()
  const record = objectSql(bindings, members)
  const [row] = await tx.query<{ record: string }>(
    `select ${record} as record from catalog_icon i where i.id = ${bindings.bind(id, 'bigint')}`,
    bindings.values,
  )
  return row?.record
}

/** Finds the picture of an icon: as it was uploaded, or as PNG for pictures of all sizes. */
export async function findIconImage(
  tx: Queryable,
  id: number,
  form: 'image' | 'drawn',
): Promise<IconImage | undefined> {
  const [row] = await tx.query<{ image: string; digest: string }>(
    `select encode(${form}, 'base64') as image, digest from catalog_icon where id = $1::bigint`,
    [id],
  )
  return row === undefined ? undefined : { image: Buffer.from(row.image, 'base64'), digest: row.digest }
}
