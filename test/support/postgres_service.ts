import { randomUUID } from 'node:crypto'
import { startCluster } from './cluster.ts'
import type { Started } from './service.ts'
import { execute, withDatabase } from './sql.ts'

/** URL of the server for test databases, and the template database with PostGIS. */
export interface PostgresService {
  readonly url: string
  readonly template: string
}

/**
 * Starts a temporary PostgreSQL server for a run; with LANDFORM_TEST_POSTGRES, creates only a template on that server.
 */
export async function startPostgres(): Promise<Started<PostgresService>> {
  const externalUrl = process.env.LANDFORM_TEST_POSTGRES
  const cluster = externalUrl ? { url: externalUrl, stop: async () => undefined } : await startCluster()
  const template = `landform_template_${randomUUID().replaceAll('-', '')}`
  await execute(cluster.url, `create database ${template}`)
  await execute(withDatabase(cluster.url, template), 'create extension postgis')
  return {
    value: { url: cluster.url, template },
    async stop() {
      if (externalUrl) await execute(cluster.url, `drop database ${template}`)
      await cluster.stop()
    },
  }
}
