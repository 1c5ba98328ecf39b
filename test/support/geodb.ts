import { afterAll } from 'vitest'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import type { Ask } from './server.ts'
import { execute } from './sql.ts'
import { createResource } from './tree.ts'

/** A database of somebody else, with PostGIS. */
export interface ForeignDatabase {
  readonly url: string
  /** Runs a statement there, as its owner. */
  execute(sql: string): Promise<Record<string, unknown>[]>
  /** Members of a connection to it. */
  readonly connection: Readonly<Record<'hostname' | 'database' | 'username' | 'password', string>> & {
    readonly port: number
  }
}

/** Gives a test file a foreign database of its own, dropped after its last test. */
export function useForeign(): () => Promise<ForeignDatabase> {
  let creating: Promise<TestDatabase> | undefined
  afterAll(async () => (await creating)?.drop())
  return async () => {
    creating ??= createTestDatabase()
    const { url, name } = await creating
    const { hostname, port, username } = new URL(url)
    return {
      url,
      execute: (sql) => execute(url, sql),
      connection: { hostname, port: Number(port), database: name, username, password: 'sesame' },
    }
  }
}

/** Makes a connection and gives its id. */
export function createConnection(ask: Ask, name: string, connection: object): Promise<number> {
  return createResource(ask, { cls: 'geodb_connection', name, members: { geodb_connection: connection } })
}

/** Makes a layer of a table with the columns `id` and `geom` in the schema `public`, unless told, and gives its id. */
export function createGeodbLayer(
  ask: Ask,
  { name, more = {}, ...layer }: { readonly name: string; readonly more?: object } & Record<string, unknown>,
): Promise<number> {
  const member = { schema: 'public', column_id: 'id', column_geom: 'geom', ...layer }
  return createResource(ask, { cls: 'geodb_layer', name, members: { geodb_layer: member, ...more } })
}
