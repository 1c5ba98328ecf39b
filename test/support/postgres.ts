import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { requestService } from './shared_service.ts'
import { execute, withDatabase } from './sql.ts'

/** An empty database with PostGIS, on a real PostgreSQL server. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** Drops the database. Fails if the test has left a connection open. */
  drop(): Promise<void>
}

/** Creates a database, empty or with all migrations. Prefer `usePostgres`, which also drops it. */
export async function createTestDatabase({ isMigrated = false } = {}): Promise<TestDatabase> {
  const { url, ...templates } = await requestService('postgres')
  const template = isMigrated ? templates.migratedTemplate : templates.template
  const name = `landform_${randomUUID().replaceAll('-', '')}`
  await execute(url, `create database ${name} template ${template}`)
  // Without `force`, the server waits five seconds for open connections, then reports them: this checks that a test
  // closes its connections.
  const drop = async () => {
    try {
      await execute(url, `drop database ${name}`)
    } catch (error) {
      await execute(url, `drop database if exists ${name} with (force)`)
      throw error
    }
  }
  return { name, url: withDatabase(url, name), drop }
}

/** Provides a database for a test file, dropped after its last test. Call it at the top of the file. */
export function usePostgres(): { readonly url: string } {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.drop())
  return {
    get url() {
      if (database === undefined) throw new Error('the database is available after beforeAll')
      return database.url
    },
  }
}
