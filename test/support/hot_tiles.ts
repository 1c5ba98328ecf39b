import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { createServer } from '../../src/server/server.ts'
import { createTestDatabase } from './postgres.ts'
import { addGroup, addUser, goodPassword } from './principals.ts'
import { rule } from './resources.ts'
import { type Ask, adminPassword, createAsk, startTestServer, testPasswordCost } from './server.ts'
import { createLayer, createStyle } from './tree.ts'

/** A server that is changed, and the same or another server that is read. */
export interface HotServers {
  /** The administrator of the server that is changed. */
  readonly admin: Ask
  /** Callers of the server that is changed. */
  changed(headers: Record<string, string>): Ask
  /** Callers of the server that is read. */
  reader(headers: Record<string, string>): Ask
  /** Waits until the server that is read has heard of all changes. */
  heard(): Promise<void>
  /** Starts one more server, which remembers nothing, for some work. */
  withFresh<T>(work: (reader: HotServers['reader']) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/** Basic credentials. */
export function basic(login: string, password = goodPassword): Record<string, string> {
  return { authorization: `Basic ${btoa(`${login}:${password}`)}` }
}

const admin = (url: string) => createAsk(url, basic('administrator', adminPassword))

/** Starts one server, which is changed and read. */
export async function startOne(driver: Database['driver']): Promise<HotServers> {
  const server = await startTestServer(driver)
  return {
    admin: server.admin,
    changed: (headers) => createAsk(server.url, headers),
    reader: (headers) => createAsk(server.url, headers),
    heard: async () => undefined,
    withFresh: () => Promise.reject(new Error('needs a database that servers share')),
    stop: server.stop,
  }
}

/** Starts two servers on one PostgreSQL database: the first is changed, the second is read. */
export async function startTwo(): Promise<HotServers> {
  const created = await createTestDatabase({ isMigrated: true })
  const start = async () => {
    const dataFolder = await mkdtemp(join(tmpdir(), 'landform-hot-'))
    const options = { listen: { host: '127.0.0.1', port: 0 }, dataFolder, databaseUrl: created.url }
    const server = await createServer({
      ...options,
      adminPassword,
      passwordCost: testPasswordCost,
      catalogCheckHours: 'off',
    })
    const stop = async () => {
      await server.stop()
      await rm(dataFolder, { recursive: true, force: true })
    }
    return { ...server, stop }
  }
  const [here, there] = [await start(), await start()]
  return {
    admin: admin(here.url),
    changed: (headers) => createAsk(here.url, headers),
    reader: (headers) => createAsk(there.url, headers),
    heard: () => hear(here.context.database, there.context.database),
    async withFresh(work) {
      const fresh = await start()
      try {
        return await work((headers) => createAsk(fresh.url, headers))
      } finally {
        await fresh.stop()
      }
    },
    async stop() {
      await here.stop()
      await there.stop()
      await created.drop()
    },
  }
}

let markers = 0

/** Waits until one database has heard what the other has told: notifications of a connection come in their order. */
async function hear(teller: Database, listener: Database): Promise<void> {
  markers += 1
  const marker = `marker ${markers}`
  for (const channel of ['landform_change', 'landform_principal']) {
    const heard = Promise.withResolvers<void>()
    const stop = await listener.listen(channel, (payload) => payload === marker && heard.resolve())
    await teller.query('select pg_notify($1, $2)', [channel, marker])
    await heard.promise
    await stop()
  }
}

/** A group of resources that a group of users may read, with a layer and a style in it, and one that it may not. */
export interface HotTree {
  readonly login: string
  readonly team: number
  readonly member: number
  readonly open: number
  readonly hidden: number
  readonly layer: number
  readonly style: number
  readonly field: number
}

let names = 0

/** Creates the resources of a test with one point at 0, 0. */
export async function makeHotTree(ask: Ask): Promise<HotTree> {
  names += 1
  const login = `member${names}`
  const member = await addUser(ask, login)
  const team = await addGroup(ask, `team${names}`, [member])
  const make = async (display_name: string, permissions: object[]) => {
    const body = { resource: { cls: 'resource_group', parent: { id: 0 }, display_name, permissions } }
    return (await (await ask('POST', '/api/resource/', body)).json<{ id: number }>()).id
  }
  const root = await (await ask('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
  const permissions = [...root.resource.permissions, rule('allow resource.read', team, { propagate: false })]
  await ask('PUT', '/api/resource/0', { resource: { permissions } })
  const open = await make(`open ${names}`, readable(team))
  const hidden = await make(`hidden ${names}`, [])
  const fields = [{ keyname: 'name', datatype: 'STRING', display_name: 'Name' }]
  const layer = await createLayer(ask, { name: 'points', geometryType: 'POINT', parent: open, fields })
  const style = await createStyle(ask, {
    parent: layer,
    name: 'style',
    inner: '<color red="9" green="9" blue="9"/>',
  })
  await ask('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT (0 0)', fields: { name: 'first' } })
  const read = await (await ask('GET', `/api/resource/${layer}`)).json<{
    feature_layer: { fields: { id: number }[] }
  }>()
  const field = read.feature_layer.fields[0]?.id ?? 0
  return { login, team, member, open, hidden, layer, style, field }
}

/** Rules that let a group of users read data. */
export function readable(team: number): object[] {
  return ['allow resource.read', 'allow data.read', 'allow datastruct.read'].map((text) => rule(text, team))
}

/** Paths of tiles of a tree: vector and image. */
export function tilePaths({ layer, style }: HotTree): Readonly<Record<'vector' | 'image', string>> {
  return {
    vector: `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${layer}`,
    image: `/api/component/render/tile?z=0&x=0&y=0&resource=${style}`,
  }
}

/** Reads a tile: its status, and what identifies its content. */
export async function readTile(ask: Ask, path: string): Promise<string> {
  const answer = await ask('GET', path)
  const content = answer.status === 200 ? answer.headers.get('etag') : ''
  await answer.arrayBuffer()
  return `${answer.status} ${content}`.trim()
}
