import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLog } from '../../src/core/log.ts'
import type { Database } from '../../src/database/database.ts'
import {
  type ImportContext,
  type ImportSource,
  type Staged,
  stageSource,
} from '../../src/import/stage_source.ts'
import { plainRules } from './vector.ts'

/** A folder for the files of one test, and an import context that uses it. */
export interface ImportBench {
  readonly context: ImportContext
  /** Loads a file into a staging table. */
  stage(name: string, content: Uint8Array | string, options?: Partial<ImportSource>): Promise<Staged>
  /** Names of the files left in the temporary folder. */
  leftovers(): Promise<string[]>
  remove(): Promise<void>
}

/** Creates an import context on a database. */
export async function openImportBench(
  database: Database,
  options: Partial<ImportContext> = {},
): Promise<ImportBench> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-import-'))
  const temporaryFolder = await mkdtemp(join(folder, 'temporary-'))
  const context = {
    database,
    log: silentLog,
    temporaryFolder,
    instance: 'test',
    undroppedTables: new Set<string>(),
    unpackLimitBytes: 1 << 30,
    ...options,
  }
  let files = 0
  return {
    context,
    async stage(name, content, rules = {}) {
      files += 1
      const path = join(folder, `blob-${files}`)
      await writeFile(path, content)
      return stageSource({ ...plainRules, path, name, srs: 3857, ...rules }, context)
    },
    leftovers: () => readdir(temporaryFolder),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Names of all feature tables except those that are kept for an undo, and of the staging tables. */
export async function listFeatureTables(database: Database): Promise<{ tables: string[]; staged: string[] }> {
  const tables = await database.query<{ name: string }>(
    `select relname as name from pg_class
      where relkind = 'r' and relname like 'features\\_%' and relnamespace = $1::regnamespace
        and not exists (select from kept_data k where k.table_name = relname) order by 1`,
    [database.schema],
  )
  const staged = await database.query<{ name: string }>('select table_name as name from staging order by 1')
  return { tables: tables.map(({ name }) => name), staged: staged.map(({ name }) => name) }
}
