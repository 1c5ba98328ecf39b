import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { askService } from './ask.ts'
import { execute, withDatabase } from './sql.ts'

/** An empty database with PostGIS, on a real PostgreSQL server. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** Deletes the database. Fails when the test has left a connection to it open. */
  drop(): Promise<void>
}

/** Makes a database that nobody else uses. Prefer `usePostgres`, which also drops it. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { url, template } = await askService('postgres')
  const name = `landform_${randomUUID().replaceAll('-', '')}`
  await execute(url, `create database ${name} template ${template}`)
  // Without `force`, the server waits five seconds for connections to go, then names those that stay: that is the
  // check that a test closes what it opens.
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

/** Gives a test file a database of its own, dropped after its last test. Call it at the top of the file. */
export function usePostgres(): { readonly url: string } {
  let database: TestDatabase | undefined
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database?.drop())
  return {
    get url() {
      if (database === undefined) throw new Error('the database is there from beforeAll on')
      return database.url
    },
  }
}
