import type { Datatype, GeometryType } from '../../src/contract/geometry.ts'
import type { Database } from '../../src/database/database.ts'
import { bootstrap, isBootstrapped } from '../../src/store/bootstrap.ts'
import { createEmptyLayers, ensureFeatureTable } from '../../src/store/layer/layer_table.ts'
import { lockLayer } from '../../src/store/layer/stored_layer.ts'

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

/** Features that the database generates. */
interface GeneratedContent {
  readonly geometryType: GeometryType
  readonly count: number
  /** SQL of the geometry of feature `n`, from 1, in EPSG:3857. */
  readonly geometry: string
  /** SQL of the value of its field `s`; there is no field if it is missing. */
  readonly text?: string
}

let generated = 0

/** Creates a layer with many features directly in the database, as `createTestLayer` does; returns its id. */
export async function createGeneratedLayer(
  database: Database,
  { geometryType, count, geometry, text }: GeneratedContent,
): Promise<number> {
  generated += 1
  const fields: TestLayer['fields'] = text === undefined ? {} : { s: 'STRING' }
  const id = await createTestLayer(database, { name: `generated ${generated}`, geometryType, fields })
  await database.transaction(async (tx) => {
    const layer = await lockLayer(tx, id)
    if (layer === undefined) throw new Error('the layer does not exist')
    const { tableName, fields: created } = await ensureFeatureTable(tx, layer)
    const [columns, values] = [
      created.map(({ columnName }) => `, ${columnName}`),
      text === undefined ? [] : [`, ${text}`],
    ]
    await tx.query(
      `insert into ${tableName} (geom ${columns.join('')})
       select ST_SetSRID(${geometry}, 3857) ${values.join('')} from generate_series(1, ${count}) n`,
    )
  })
  return id
}
