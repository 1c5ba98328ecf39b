import type { Reference } from '../../contract/descriptor.ts'
import { listReferenceFields } from '../../contract/reference_fields.ts'
import { type Cls, clsNames, descriptorOf } from '../../contract/registry.ts'
import type { Queryable } from '../../database/database.ts'

/** A column that refers to a resource. */
export interface ReferenceColumn {
  readonly table: string
  readonly column: string
  /** Column of the resource that has the reference. */
  readonly holder: string
}

const connection = { table: 'resource_connection', column: 'connection_id', holder: 'resource_id' }
const layerField = { table: 'layer_field', column: 'lookup_table_id', holder: 'layer_id' }
const serviceLayer = { table: 'service_layer', column: 'resource_id', holder: 'service_id' }

/** Columns of the references that do not stand in the table of their class, by path in the contract. */
const elsewhere: Readonly<Record<string, ReferenceColumn>> = {
  'geodb_layer.connection': connection,
  'wmsclient_layer.connection': connection,
  'feature_layer.fields.lookup_table': layerField,
  'vector_layer.fields.lookup_table': layerField,
  'webmap.bookmark_resource': { table: 'webmap', column: 'bookmark_resource_id', holder: 'resource_id' },
  'webmap.root_item.children.layer_style_id': {
    table: 'webmap_item',
    column: 'style_id',
    holder: 'webmap_id',
  },
  'basemap_webmap.basemaps.resource_id': {
    table: 'webmap_basemap',
    column: 'resource_id',
    holder: 'webmap_id',
  },
  'wmsserver_service.layers.resource_id': serviceLayer,
  'wfsserver_service.layers.resource_id': serviceLayer,
}

/** Lists the columns of the references of a class, with what deleting the target does. */
export function listReferenceColumns(
  cls: Cls,
): (Partial<ReferenceColumn> & Pick<Reference, 'onDelete'> & { readonly path: string })[] {
  const { table } = descriptorOf(cls)
  return listReferenceFields(cls).map(({ path, target: { onDelete } }) => {
    const [member = '', column = '', ...rest] = path.split('.')
    const isOwn = table !== undefined && member === cls && rest.length === 0
    const own = isOwn ? { table: cls, column, holder: 'resource_id' } : undefined
    return { path, onDelete, ...(elsewhere[path] ?? own) }
  })
}

/** Columns that refuse the deletion of the resource they refer to. */
const refusing = [
  ...new Map(
    clsNames
      .flatMap(listReferenceColumns)
      .filter(({ onDelete }) => onDelete === 'refuse')
      .map(({ table, column, holder }) => [`${table}.${column}`, { table, column, holder }]),
  ).values(),
]

/** A resource that points at another one. */
export interface Referrer {
  readonly id: number
  readonly displayName: string
  /** The resource it points at. */
  readonly targetId: number
}

/** Lists the resources that point at some and refuse the deletion of what they point at, these themselves included. */
export async function listReferrers(tx: Queryable, ids: readonly number[]): Promise<Referrer[]> {
  const parts = refusing.map(
    ({ table, column, holder }) =>
      `select ${holder} as id, ${column} as target from ${table} where ${column} = any($1::int[])`,
  )
  return tx.query<Referrer>(
    `select distinct r.id, r.display_name as "displayName", f.target as "targetId"
       from (${parts.join(' union ')}) f join resource r on r.id = f.id order by r.id, f.target`,
    [ids],
  )
}

/**
 * Takes away the rows with which some resources point at others and refuse their deletion. The rows would go with
 * their resources, but PostgreSQL may look at the target first, and refuse though both are deleted at once.
 */
export async function dropReferences(tx: Queryable, ids: readonly number[]): Promise<void> {
  const deletes = refusing.map(
    ({ table, holder }, at) => `gone${at} as (delete from ${table} where ${holder} = any($1::int[]))`,
  )
  await tx.query(`with ${deletes.join(', ')} select`, [ids])
}
