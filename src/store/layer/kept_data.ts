import type { GeometryType } from '../../contract/geometry.ts'
import type { ExtensionCounts } from '../../core/extension_counts.ts'
import type { Queryable } from '../../database/database.ts'
import { newTableName } from './staging_table.ts'
import type { Layer, LayerField } from './stored_layer.ts'

/** Which replaced and deleted data to keep for an undo. */
export interface KeepRule {
  /** Maximum size of all kept data in bytes; 0 if none are kept. */
  readonly limitBytes: number
  /** User who may restore a layer after its deletion, besides administrators; null for nobody. */
  userOf(resourceId: number): number | null
}

/** Data that a layer had before they were replaced or deleted. */
export interface KeptData {
  readonly id: number
  readonly resourceId: number
  readonly dataVersion: number
  readonly displayName: string
  readonly geometryType: GeometryType
  /** EPSG code. */
  readonly srs: number
  /** Null if the layer never had features. */
  readonly tableName: string | null
  /** Whether the table is a copy, without keys and indexes. */
  readonly isCopy: boolean
  readonly fields: readonly LayerField[]
  readonly features: number
  readonly bytes: number
  readonly userId: number | null
  /** UTC, ISO 8601 without time zone. */
  readonly keptAt: string
  /** Whether the layer exists. */
  readonly isThere: boolean
  /** Last write of features, their descriptions and attachments since the data were kept, at a time like `keptAt`; loads are none. */
  readonly written: { readonly at: string; readonly user: string | null } | null
}

/**
 * Keeps the data of layers about to be replaced or deleted: their tables stay, without the layers. Returns the ids of the layers
 * whose data are kept; the caller drops the tables of the others. The layers must be locked.
 */
export async function keepData(
  tx: Queryable,
  layers: readonly Layer[],
  rule: KeepRule,
): Promise<ReadonlySet<number>> {
  const tables = layers.map((layer) => ({ layer, tableName: layer.tableName, isCopy: false }))
  return keep(tx, tables, rule)
}

/** Keeps a copy of the data of a layer that are about to be changed in place. The layer must be locked. */
export async function keepCopy(tx: Queryable, layer: Layer, rule: KeepRule): Promise<void> {
  if (layer.tableName === null) return
  const [bytes = 0] = await readSizes(tx, [{ layer, tableName: layer.tableName, isCopy: true }])
  if (bytes > rule.limitBytes) return
  const tableName = newTableName()
  await tx.query(`create table ${tableName} as select * from ${layer.tableName}`)
  const kept = await keep(tx, [{ layer, tableName, isCopy: true }], rule)
  if (kept.size === 0) await tx.query(`drop table ${tableName}`)
}

interface KeptTable {
  readonly layer: Layer
  readonly tableName: string | null
  readonly isCopy: boolean
}

async function keep(tx: Queryable, tables: readonly KeptTable[], rule: KeepRule): Promise<Set<number>> {
  if (rule.limitBytes === 0 || tables.length === 0) return new Set()
  const sizes = await readSizes(tx, tables)
  const fitting = tables.flatMap((table, at) => {
    const bytes = sizes[at] ?? 0
    return bytes > rule.limitBytes ? [] : [{ ...table, bytes }]
  })
  const counts = await countFeatures(tx, fitting)
  const rows = fitting.map(({ layer, tableName, isCopy, bytes }, at) => {
    const { resourceId, dataVersion, geometryType, srs, fields } = layer
    const features = counts[at] ?? 0
    const userId = rule.userOf(resourceId)
    return { resourceId, dataVersion, geometryType, srs, tableName, isCopy, fields, features, bytes, userId }
  })
  const kept = await tx.query<{ id: number; resourceId: number }>(
    `insert into kept_data (resource_id, data_version, display_name, geometry_type, srs, table_name, is_copy, fields,
                            features, bytes, user_id)
     select r.id, k."dataVersion", r.display_name, k."geometryType", k.srs, k."tableName", k."isCopy", k.fields,
            k.features, k.bytes, k."userId"
       from jsonb_to_recordset($1::jsonb) as k ("resourceId" int, "dataVersion" int, "geometryType" text, srs int,
              "tableName" text, "isCopy" boolean, fields jsonb, features int, bytes bigint, "userId" int)
       join resource r on r.id = k."resourceId" order by r.id
     returning id, resource_id as "resourceId"`,
    [JSON.stringify(rows)],
  )
  await keepExtensions(tx, kept)
  await dropOldest(tx, rule.limitBytes)
  return new Set(kept.map(({ resourceId }) => resourceId))
}

const attachmentColumns = [
  'id',
  'feature_id',
  'name',
  'mime_type',
  'description',
  'digest',
  'is_image',
  'preview_digest',
]
const extensions = [
  { from: 'attachment', to: 'kept_attachment', columns: attachmentColumns.join(', ') },
  { from: 'feature_description', to: 'kept_description', columns: 'feature_id, description' },
]

async function keepExtensions(
  tx: Queryable,
  kept: readonly { readonly id: number; readonly resourceId: number }[],
): Promise<void> {
  const ids = [kept.map(({ id }) => id), kept.map(({ resourceId }) => resourceId)]
  for (const { from, to, columns } of extensions)
    await tx.query(
      `insert into ${to} (kept_id, ${columns})
       select k.id, ${columns.replaceAll(/\w+/g, 'e.$&')}
         from unnest($1::int[], $2::int[]) as k (id, layer_id) join ${from} e on e.layer_id = k.layer_id`,
      ids,
    )
}

async function readSizes(tx: Queryable, tables: readonly KeptTable[]): Promise<number[]> {
  const rows = await tx.query<{ bytes: number }>(
    `select (coalesce(pg_total_relation_size(to_regclass(t.name)), 0) + coalesce((
       select sum(b.size_bytes) from attachment a join blob b on b.digest = a.digest where a.layer_id = t.id
     ), 0))::float8 as bytes
       from unnest($1::text[], $2::int[]) with ordinality as t (name, id, place) order by t.place`,
    [tables.map(({ tableName }) => tableName), tables.map(({ layer }) => layer.resourceId)],
  )
  return rows.map(({ bytes }) => bytes)
}

/** Maximum number of tables that a statement counts, so that its plan stays small. */
const maxCounted = 200

async function countFeatures(tx: Queryable, tables: readonly KeptTable[]): Promise<number[]> {
  const counts: number[] = []
  for (let at = 0; at < tables.length; at += maxCounted) {
    const some = tables.slice(at, at + maxCounted)
    const parts = some.map(({ tableName }) =>
      tableName === null ? '0' : `(select count(*) from ${tableName})`,
    )
    const [row] = await tx.query<{ counts: number[] }>(`select array[${parts.join(', ')}]::int[] as counts`)
    counts.push(...(row?.counts ?? []))
  }
  return counts
}

/** Drops the oldest kept data until the rest is within a size. */
async function dropOldest(tx: Queryable, limitBytes: number): Promise<void> {
  await dropKept(
    tx,
    `id in (select id from (select id, sum(bytes) over (order by id desc) as total from kept_data) summed
             where total > $1::float8)`,
    limitBytes,
  )
}

/** Drops data that were kept more days ago than given, and the oldest beyond a size. Returns the number of layers. */
export async function dropOldData(
  tx: Queryable,
  { days, limitBytes }: { readonly days: number; readonly limitBytes: number },
): Promise<number> {
  const old = await dropKept(tx, `kept_at < now() at time zone 'utc' - make_interval(days => $1::int)`, days)
  await dropOldest(tx, limitBytes)
  return old
}

// What another request is restoring is left to it.
async function dropKept(tx: Queryable, condition: string, value: number): Promise<number> {
  const rows = await tx.query<{ tableName: string | null }>(
    `delete from kept_data where id in (select id from kept_data where ${condition} for update skip locked)
     returning table_name as "tableName"`,
    [value],
  )
  const names = rows.flatMap(({ tableName }) => tableName ?? [])
  if (names.length > 0) await tx.query(`drop table ${names.join(', ')}`)
  return rows.length
}

const keptSql = `
  select k.id, k.resource_id as "resourceId", k.data_version as "dataVersion", k.display_name as "displayName",
         k.geometry_type as "geometryType", k.srs, k.table_name as "tableName", k.is_copy as "isCopy", k.fields,
         k.features, k.bytes::float8 as bytes, k.user_id as "userId",
         to_char(k.kept_at, 'YYYY-MM-DD"T"HH24:MI:SS') as "keptAt", l.resource_id is not null as "isThere",
         (select jsonb_build_object('at', to_char(c.changed_at, 'YYYY-MM-DD"T"HH24:MI:SS'), 'user', p.keyname)
            from last_change c left join principal p on p.id = c.user_id
           where c.resource_id = k.resource_id and c.part in ('data', 'extensions') and c.changed_at > k.kept_at
          order by c.changed_at desc limit 1) as written
    from kept_data k left join layer l on l.resource_id = k.resource_id`

/** Kept data, with what an undo would bring back, and delete. */
export interface ComparedData extends KeptData {
  /** Attachments and descriptions of features that the layer does not have. */
  readonly onlyKept: ExtensionCounts
  /** Attachments and descriptions of features that only the layer has. */
  readonly onlyLayer: ExtensionCounts
}

/** SQL of what features have: of kept data `k`, and of their layer. */
const extensionsSql = {
  attachments: ['kept_attachment', 'attachment', 'feature_id, name, digest, description'],
  descriptions: ['kept_description', 'feature_description', 'feature_id, description'],
} as const

/** SQL of the numbers of attachments and descriptions that only the kept data have, or only the layer. */
function countsSql(of: 'kept' | 'layer'): string {
  const counts = Object.entries(extensionsSql).map(([name, [kept, there, columns]]) => {
    const ofKept = `select ${columns} from ${kept} where kept_id = k.id`
    const ofLayer = `select ${columns} from ${there} where layer_id = k."resourceId"`
    const [one, other] = of === 'kept' ? [ofKept, ofLayer] : [ofLayer, ofKept]
    return `'${name}', (select count(*) from (${one} except all ${other}) e)`
  })
  return `json_build_object(${counts.join(', ')})`
}

/** Lists the kept data, newest first: all, or those of a resource. */
export async function listKept(database: Queryable, resourceId?: number): Promise<ComparedData[]> {
  return database.query<ComparedData>(
    `select k.*, ${countsSql('kept')} as "onlyKept", ${countsSql('layer')} as "onlyLayer"
       from (${keptSql} where $1::int is null or k.resource_id = $1) k order by k.id desc`,
    [resourceId ?? null],
  )
}

/** Finds kept data by id. */
export async function findKept(database: Queryable, id: number): Promise<KeptData | undefined> {
  const [row] = await database.query<KeptData>(`${keptSql} where k.id = $1::int`, [id])
  return row
}

/**
 * Takes kept data for a layer: moves attachments and descriptions of features to it, and forgets that the data were kept. Returns
 * false if they are gone.
 */
export async function takeKept(tx: Queryable, id: number, layerId: number): Promise<boolean> {
  const found = await tx.query('select id from kept_data where id = $1::int for update', [id])
  if (found.length === 0) return false
  for (const { from, to, columns } of extensions)
    await tx.query(
      `insert into ${from} (layer_id, ${columns}) select $2::int, ${columns} from ${to} where kept_id = $1::int`,
      [id, layerId],
    )
  await tx.query('delete from kept_data where id = $1::int', [id])
  return true
}

/** Counts the kept data, and sums their size. */
export async function countKept(
  database: Queryable,
): Promise<{ readonly layers: number; readonly bytes: number }> {
  const [row] = await database.query<{ layers: number; bytes: number }>(
    'select count(*)::int as layers, coalesce(sum(bytes), 0)::float8 as bytes from kept_data',
  )
  return row ?? { layers: 0, bytes: 0 }
}
