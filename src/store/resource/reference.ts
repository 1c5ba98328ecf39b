import { membersOf } from '../../contract/bodies/bodies.ts'
import { annotationsOf, type Reference } from '../../contract/descriptor.ts'
import type { PermissionName } from '../../contract/permissions.ts'
import { type Cls, clsNames, descriptorOf } from '../../contract/registry.ts'
import { listReferenceFields } from '../../contract/schema/reference_fields.ts'
import type { Queryable } from '../../database/database.ts'

/** A column that references a resource. */
export interface ReferenceColumn {
  readonly table: string
  readonly column: string
  /** Column of the referring resource. */
  readonly referrer: string
}

/** A column that references a resource, and the permission on the referring resource that reading the reference needs. */
export interface ReadableColumn extends ReferenceColumn {
  readonly read: PermissionName
}

const connection = { table: 'resource_connection', column: 'connection_id', referrer: 'resource_id' }
const layerField = { table: 'layer_field', column: 'lookup_table_id', referrer: 'layer_id' }
const serviceLayer = { table: 'service_layer', column: 'resource_id', referrer: 'service_id' }

/** Columns of references that are not in the table of their class, by path in the contract. */
const otherColumns: Readonly<Record<string, ReferenceColumn>> = {
  'geodb_layer.connection': connection,
  'wmsclient_layer.connection': connection,
  'feature_layer.fields.lookup_table': layerField,
  'vector_layer.fields.lookup_table': layerField,
  'webmap.bookmark_resource': { table: 'webmap', column: 'bookmark_resource_id', referrer: 'resource_id' },
  'webmap.root_item.children.layer_style_id': {
    table: 'webmap_item',
    column: 'style_id',
    referrer: 'webmap_id',
  },
  'basemap_webmap.basemaps.resource_id': {
    table: 'webmap_basemap',
    column: 'resource_id',
    referrer: 'webmap_id',
  },
  'wmsserver_service.layers.resource_id': serviceLayer,
  'wfsserver_service.layers.resource_id': serviceLayer,
}

/** Lists the columns of the references of a class, with the effect of deleting the target. */
export function listReferenceColumns(cls: Cls): (Partial<ReferenceColumn> & ListedReference)[] {
  const { table } = descriptorOf(cls)
  return listReferenceFields(cls).map(({ path, target: { onDelete } }) => {
    const [member = '', column = '', ...rest] = path.split('.')
    const isOwn = table !== undefined && member === cls && rest.length === 0
    const own = isOwn ? { table: cls, column, referrer: 'resource_id' } : undefined
    const schema = Object.entries(membersOf(cls)[member]?.properties ?? {}).find(([name]) => name === column)
    const read = annotationsOf(schema?.[1] ?? {})['x-read'] ?? 'resource.read'
    return { path, onDelete, read, ...(otherColumns[path] ?? own) }
  })
}

/** A reference of a class: its path in the contract, and who may read it. */
interface ListedReference extends Pick<Reference, 'onDelete'>, Pick<ReadableColumn, 'read'> {
  readonly path: string
}

const references = clsNames.flatMap(listReferenceColumns)

/** Columns of all references to resources. */
export const allReferenceColumns = distinctColumns(references)

/** Columns that restrict the deletion of the referenced resource. */
const restricting = distinctColumns(references.filter(({ onDelete }) => onDelete === 'refuse'))

// Classes that share a column need the same permission, which a test holds.
function distinctColumns(
  list: readonly (Partial<ReferenceColumn> & Pick<ReadableColumn, 'read'>)[],
): ReadableColumn[] {
  const columns = list.flatMap(({ table, column, referrer, read }) =>
    table === undefined || column === undefined || referrer === undefined
      ? []
      : [[`${table}.${column}`, { table, column, referrer, read }] as const],
  )
  return [...new Map(columns).values()]
}

/** A resource that references another one. */
export interface Referrer {
  readonly id: number
  readonly displayName: string
  /** The referenced resource. */
  readonly targetId: number
  /** Permission on the referring resource that reading the reference needs. */
  readonly read: PermissionName
}

/** Lists the resources whose references restrict the deletion of resources. The result may include these themselves. */
export async function listReferrers(tx: Queryable, ids: readonly number[]): Promise<Referrer[]> {
  const parts = restricting.map(
    ({ table, column, referrer, read }) =>
      `select ${referrer} as id, ${column} as target, '${read}' as read from ${table} where ${column} = any($1::int[])`,
  )
  return tx.query<Referrer>(
    `select distinct r.id, r.display_name as "displayName", f.target as "targetId", f.read
       from (${parts.join(' union ')}) f join resource r on r.id = f.id order by r.id, f.target, f.read`,
    [ids],
  )
}

/**
 * Deletes the restricting references of resources about to be deleted. Otherwise PostgreSQL may check the target first
 * and refuse, although the referrer is deleted in the same statement.
 */
export async function deleteReferences(tx: Queryable, ids: readonly number[]): Promise<void> {
  const deletes = restricting.map(
    ({ table, referrer }, at) => `deleted${at} as (delete from ${table} where ${referrer} = any($1::int[]))`,
  )
  await tx.query(`with ${deletes.join(', ')} select`, [ids])
}
