import type { Datatype, GeometryType } from '../../src/contract/geometry.ts'
import type { Database } from '../../src/database/database.ts'
import { bootstrap, isBootstrapped } from '../../src/store/bootstrap.ts'
import { createEmptyLayers } from '../../src/store/layer/layer_table.ts'

/** A layer to create in a test. */
export interface TestLayer {
  readonly name: string
  readonly geometryType: GeometryType
  /** EPSG code. @default 3857 */
  readonly srs?: 3857 | 4326
  /** Datatypes by keyname, in order. */
  readonly fields?: Readonly<Record<string, Datatype>>
  /** Keyname of the field that labels features. */
  readonly label?: string
}

/** One field of every datatype, named by a letter. */
export const everyDatatype = {
  i: 'INTEGER',
  b: 'BIGINT',
  r: 'REAL',
  s: 'STRING',
  d: 'DATE',
  t: 'TIME',
  m: 'DATETIME',
} as const satisfies Record<string, Datatype>

/** Bootstraps a database like a server, if not done yet. */
export async function prepareStore(database: Database): Promise<void> {
  await database.transaction(async (tx) => {
    if (!(await isBootstrapped(tx))) await bootstrap(tx, 'unused password')
  })
}

/** Creates an empty layer below the root directly in the database, readable by administrators only; returns its id. */
export function createTestLayer(database: Database, layer: TestLayer): Promise<number> {
  const { name, geometryType, srs = 3857, fields = {}, label } = layer
  return database.transaction(async (tx) => {
    const [row] = await tx.query<{ id: number }>(
      `insert into resource (cls, parent_id, owner_id, display_name)
       values ('vector_layer', 0, (select min(id) from principal where keyname = 'administrator' and kind = 'user'), $1)
       returning id`,
      [name],
    )
    const resourceId = row?.id ?? 0
    await tx.query(
      `insert into resource_path (ancestor_id, descendant_id, depth) values ($1::int, $1::int, 0), (0, $1::int, 1)`,
      [resourceId],
    )
    const columns = Object.entries(fields).map(([keyname, datatype]) => ({
      keyname,
      datatype,
      labelField: keyname === label,
    }))
    await createEmptyLayers(tx, [{ resourceId, geometryType, srs, fields: columns }])
    return resourceId
  })
}

/** Lets guests read the features of a layer, and the root. */
export async function publishLayer(database: Database, id: number): Promise<void> {
  await database.transaction(async (tx) => {
    const guest = `(select id from principal where keyname = 'guest')`
    await tx.query(
      `insert into rule (resource_id, action, principal_id, identity, scope, permission, propagate)
       values (0, 'allow', ${guest}, '', 'resource', 'read', false),
              ($1::int, 'allow', ${guest}, '', 'resource', 'read', false),
              ($1::int, 'allow', ${guest}, '', 'data', 'read', false)
       on conflict do nothing`,
      [id],
    )
    await tx.query('update permission_epoch set value = value + 1')
  })
}
