import { randomUUID } from 'node:crypto'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import { type Engine, openEngine } from '../../src/database/pglite.ts'

/** An instance takes seconds to start and hundreds of megabytes: one for a process, schemas inside it. */
let opening: Promise<Engine> | undefined
let openSchemas = 0

/**
 * Opens an empty schema in the embedded database, held in memory, that all tests of this process share. Closing it drops
 * the schema; the last one closes the embedded database too.
 */
export async function openTestSchema(): Promise<Database> {
  const schema = `test_${randomUUID().replaceAll('-', '')}`
  openSchemas += 1
  opening ??= openEngine({ folder: 'memory', log: silentLog })
  const engine = await opening
  return engine.openSchema(schema, async () => {
    await engine.openSchema(schema).query(`drop schema if exists ${schema} cascade`)
    openSchemas -= 1
    if (openSchemas > 0) return
    opening = undefined
    await engine.close()
  })
}
