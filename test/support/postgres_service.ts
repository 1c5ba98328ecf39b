import { randomUUID } from 'node:crypto'
import { silentLog } from '../../src/core/log.ts'
import { migrate, readMigrations } from '../../src/database/migrate.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { migrationsFolder } from '../../src/store/migrations.ts'
import { startCluster } from './cluster.ts'
import type { Started } from './service.ts'
import { execute, withDatabase } from './sql.ts'

/** URL of the server for test databases, and the template databases. */
export interface PostgresService {
  readonly url: string
  /** Database with PostGIS. */
  readonly template: string
  /** Database with PostGIS and all migrations. */
  readonly migratedTemplate: string
}

/**
 * Starts a temporary PostgreSQL server for a run; with LANDFORM_TEST_POSTGRES, creates only templates on that server.
 */
export async function startPostgres(): Promise<Started<PostgresService>> {
  const externalUrl = process.env.LANDFORM_TEST_POSTGRES
  const cluster = externalUrl
    ? { url: externalUrl, stop: async () => undefined }
    : await startCluster({ isInMemory: true })
  const template = `landform_template_${randomUUID().replaceAll('-', '')}`
  await execute(cluster.url, `create database ${template}`)
  await execute(withDatabase(cluster.url, template), 'create extension postgis')
  const migratedTemplate = `${template}_migrated`
  await execute(cluster.url, `create database ${migratedTemplate} template ${template}`)
  await migrateTemplate(withDatabase(cluster.url, migratedTemplate))
  return {
    value: { url: cluster.url, template, migratedTemplate },
    async stop() {
      if (externalUrl)
        for (const name of [migratedTemplate, template]) await execute(cluster.url, `drop database ${name}`)
      await cluster.stop()
    },
  }
}

async function migrateTemplate(url: string): Promise<void> {
  const database = await openPostgres({ url, log: silentLog })
  try {
    await migrate(database, await readMigrations(migrationsFolder), { version: 'test' })
  } finally {
    await database.close()
  }
}
