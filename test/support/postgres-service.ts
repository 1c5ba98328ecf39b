import { randomUUID } from 'node:crypto'
import { startCluster } from './cluster.ts'
import type { Started } from './service.ts'
import { execute, withDatabase } from './sql.ts'

/** Where to make databases, and which one to copy: it has PostGIS. */
export interface PostgresService {
  readonly url: string
  readonly template: string
}

/** A throwaway PostgreSQL server for one run; with LANDFORM_TEST_POSTGRES, only a template on that server. */
export async function startPostgres(): Promise<Started<PostgresService>> {
  const given = process.env.LANDFORM_TEST_POSTGRES
  const cluster = given ? { url: given, stop: async () => undefined } : await startCluster()
  const template = `landform_template_${randomUUID().replaceAll('-', '')}`
  await execute(cluster.url, `create database ${template}`)
  await execute(withDatabase(cluster.url, template), 'create extension postgis')
  return {
    value: { url: cluster.url, template },
    async stop() {
      if (given) await execute(cluster.url, `drop database ${template}`)
      await cluster.stop()
    },
  }
}
