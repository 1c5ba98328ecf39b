import { afterAll } from 'vitest'
import { createTestDatabase, type TestDatabase } from './postgres.ts'
import type { Ask, TestServer } from './server.ts'
import { execute } from './sql.ts'
import { createResource } from './tree.ts'

/** A foreign database with PostGIS. */
export interface ForeignDatabase {
  readonly url: string
  /** Runs a statement as its owner. */
  execute(sql: string): Promise<Record<string, unknown>[]>
  /** Connection members for it. */
  readonly connection: Readonly<Record<'hostname' | 'database' | 'username' | 'password', string>> & {
    readonly port: number
  }
}

/** Provides a foreign database for a test file, dropped after its last test. */
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

/** Creates a connection and returns its id. */
export function createConnection(ask: Ask, name: string, connection: object): Promise<number> {
  return createResource(ask, { cls: 'geodb_connection', name, members: { geodb_connection: connection } })
}

/** Creates a layer of a table, by default in schema `public` with columns `id` and `geom`, and returns its id. */
export function createGeodbLayer(
  ask: Ask,
  { name, more = {}, ...layer }: { readonly name: string; readonly more?: object } & Record<string, unknown>,
): Promise<number> {
  const member = { schema: 'public', column_id: 'id', column_geom: 'geom', ...layer }
  return createResource(ask, { cls: 'geodb_layer', name, members: { geodb_layer: member, ...more } })
}

/** Creates tables of a foreign database, and layers of them on a server. */
export interface Tables {
  /** Returns the administrator, a function that runs statements in the foreign database, and a connection to it. */
  open(): Promise<OpenTables>
  /** Recreates a table, and creates a layer of it. */
  openLayer(table: string, columns: string, layer?: object): Promise<OpenTables & { readonly id: number }>
}

interface OpenTables extends Pick<ForeignDatabase, 'execute'> {
  readonly admin: Ask
  readonly connection: { readonly id: number }
}

/** Opens a foreign database on a server, with one connection to it. */
export function openTables(
  start: () => Promise<TestServer>,
  openForeign: () => Promise<ForeignDatabase>,
): Tables {
  let connecting: Promise<number> | undefined
  const open = async (): Promise<OpenTables> => {
    const { admin } = await start()
    const { connection, execute } = await openForeign()
    connecting ??= createConnection(admin, 'Foreign', connection)
    return { execute, admin, connection: { id: await connecting } }
  }
  return {
    open,
    async openLayer(table, columns, layer = {}) {
      const opened = await open()
      await opened.execute(`drop table if exists ${table} cascade; create table ${table} (${columns})`)
      const { admin, connection } = opened
      const id = await createGeodbLayer(admin, { name: `Of ${table}`, table, connection, ...layer })
      return { ...opened, id }
    },
  }
}

/** Returns the status and the message of a response. */
export const statusAndMessage = async (answer: { status: number; json<T>(): Promise<T> }) => [
  answer.status,
  (await answer.json<{ message: string }>()).message,
]

/** Counts the features of a layer. */
export const countOf = async (ask: Ask, id: number) => {
  const answer = await ask('GET', `/api/resource/${id}/feature_count`)
  return (await answer.json<{ total_count: number }>()).total_count
}
