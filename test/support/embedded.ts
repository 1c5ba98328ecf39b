import { randomUUID } from 'node:crypto'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import type { Engine } from '../../src/database/pglite.ts'

/**
 * The embedded database of this process, which stays open for all the test files that run in it: an instance takes
 * seconds to start, more to grow warm, and a gigabyte of memory. It ends with the process.
 */
let opening: Promise<Engine> | undefined

/**
 * Opens an empty schema in the embedded database, held in memory, that all tests of this process share. Closing it
 * drops the schema.
 */
export async function openTestSchema(): Promise<Database> {
  const engine = await getEngine()
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  return engine.openSchema(schema, () => dropSchema(engine, schema))
}

// The log of changes lies in memory too, and nothing else ever lets go of it.
async function dropSchema(engine: Engine, schema: string): Promise<void> {
  const database = engine.openSchema('public')
  await database.query(`drop schema if exists ${schema} cascade`)
  await database.query('checkpoint')
}

/**
 * Names what tests have left in the embedded database: whatever is neither a part of PostgreSQL nor of PostGIS. Asks
 * nobody where it was never opened.
 */
export async function findDatabaseLeftovers(): Promise<string[]> {
  if (opening === undefined) return []
  const rows = await (await opening).openSchema('public').query<{ name: string }>(leftovers)
  return rows.map(({ name }) => name)
}

const leftovers = `
  select 'schema ' || nspname as name from pg_namespace
   where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')
  union all
  select 'relation public.' || relname from pg_class
   where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'm', 'S')
     and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
  union all
  select 'channel ' || channel from pg_listening_channels() channel
  order by 1`

function getEngine(): Promise<Engine> {
  opening ??= startEngine().catch((error: unknown) => {
    opening = undefined
    throw error
  })
  return opening
}

// Imported late: every file asks for what is left, most never use the database.
async function startEngine(): Promise<Engine> {
  const { openEngine } = await import('../../src/database/pglite.ts')
  return openEngine({ folder: 'memory', log: silentLog })
}
