import { randomUUID } from 'node:crypto'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import type { Engine } from '../../src/database/pglite.ts'

/**
 * The embedded database of this process, shared by all its test files: an instance takes seconds to start, longer to
 * warm up, and a gigabyte of memory. It ends with the process.
 */
let opening: Promise<Engine> | undefined

/**
 * Opens an empty schema in the in-memory database shared by all tests of this process. Closing it drops the schema.
 */
export async function openTestSchema(): Promise<Database> {
  const engine = await getEngine()
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  return engine.openSchema(schema, () => dropSchema(engine, schema))
}

// The write-ahead log is in memory too, and is recycled only by a checkpoint.
async function dropSchema(engine: Engine, schema: string): Promise<void> {
  const database = engine.openSchema('public')
  await database.query(`drop schema if exists ${schema} cascade`)
  await database.query('checkpoint')
}

/**
 * Lists objects that tests have left in the embedded database: those that belong neither to PostgreSQL nor to PostGIS.
 * Empty if it was never opened.
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

// Imported on use: every test file checks for leftovers, but most never use the database.
async function startEngine(): Promise<Engine> {
  const { openEngine } = await import('../../src/database/pglite.ts')
  return openEngine({ folder: 'memory', log: silentLog })
}

/** Runs for minutes in a library, which never looks for a cancel request. */
export const uninterruptibleQuery = `select public.ST_NPoints(public.ST_UnaryUnion(public.ST_MakeLine(
    public.ST_MakePoint((i * 7919) % 9973, (i * 104729) % 9967) order by i)))
  from generate_series(1, 20000) i`
