import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServer, type RunningServer } from '../../../src/server/server.ts'
import { usePostgres } from '../../support/postgres.ts'
import {
  addGroup,
  addUser,
  goodPassword,
  groupsPath,
  logIn,
  tokensPath,
  usersPath,
  whoIs,
} from '../../support/principals.ts'
import { rule } from '../../support/resources.ts'
import { type Ask, adminPassword, createAsk } from '../../support/server.ts'

const postgres = usePostgres()
const folders: string[] = []
const processes: RunningServer[] = []
let [admin, here, there]: Ask[] = []

const basic = (login: string, password: string) => ({
  authorization: `Basic ${btoa(`${login}:${password}`)}`,
})

beforeAll(async () => {
  for (let at = 0; at < 2; at += 1) {
    const dataFolder = await mkdtemp(join(tmpdir(), 'landform-processes-'))
    folders.push(dataFolder)
    const listen = { host: '127.0.0.1', port: 0 }
    processes.push(await createServer({ listen, dataFolder, databaseUrl: postgres.url, adminPassword }))
  }
  const [one, two] = processes.map(({ url }) => url)
  admin = createAsk(one ?? '', basic('administrator', adminPassword))
  here = createAsk(one ?? '', {})
  there = createAsk(two ?? '', {})
})
afterAll(async () => {
  for (const server of processes) await server.stop()
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

let markers = 0

/** Waits until the second process has heard all that the first has told: notifications come in their order. */
async function heard(): Promise<void> {
  const [one, two] = processes.map(({ context }) => context.database)
  markers += 1
  const marker = `marker ${markers}`
  let arrive = (_: unknown) => {}
  const arrived = new Promise((resolve) => {
    arrive = resolve
  })
  const stop = await two?.listen('landform_principal', (payload) => {
    if (payload === marker) arrive(payload)
  })
  await one?.query("select pg_notify('landform_principal', $1)", [marker])
  await arrived
  await stop?.()
}

const clients = () => {
  if (!admin || !here || !there) throw new Error('the servers are there from beforeAll on')
  return { admin, here, there }
}

test('a token that one process revokes is refused by the others', async () => {
  const { admin, there } = clients()
  const { id, token } = await (await admin('POST', tokensPath, { name: 'shared' })).json<{
    id: number
    token: string
  }>()
  const headers = { authorization: `Bearer ${token}` }
  expect(await whoIs(there, headers)).toBe('administrator')
  await admin('DELETE', tokensPath + id)
  await heard()
  expect(await whoIs(there, headers)).toBe('auth/bad-credentials')
})

test('a session is valid on all processes, and ends on all of them', async () => {
  const { admin, here, there } = clients()
  await addUser(admin, 'roamer')
  const cookie = await logIn(here, 'roamer', goodPassword)
  expect(await whoIs(there, { cookie })).toBe('roamer')
  await here('POST', '/api/component/auth/logout', undefined, { cookie })
  await heard()
  expect(await whoIs(there, { cookie })).toBe('auth/session-ended')
})

test('a new password, a new name and a disabled user take effect on all processes', async () => {
  const { admin, there } = clients()
  const id = await addUser(admin, 'changing')
  const old = basic('changing', goodPassword)
  expect(await whoIs(there, old)).toBe('changing')
  await admin('PUT', usersPath + id, { keyname: 'changed' })
  await heard()
  expect(await whoIs(there, old)).toBe('auth/bad-credentials')
  const renamed = basic('changed', goodPassword)
  expect(await whoIs(there, renamed)).toBe('changed')
  await admin('PUT', usersPath + id, { password: 'the next password' })
  await heard()
  expect(await whoIs(there, renamed)).toBe('auth/bad-credentials')
  const next = basic('changed', 'the next password')
  expect(await whoIs(there, next)).toBe('changed')
  await admin('PUT', usersPath + id, { disabled: true })
  await heard()
  expect(await whoIs(there, next)).toBe('auth/disabled')
})

test('a user who leaves a group loses its permissions on all processes', async () => {
  const { admin, there } = clients()
  const member = await addUser(admin, 'member')
  const group = await addGroup(admin, 'team', [member])
  const { resource } = await (await admin('GET', '/api/resource/0')).json<{
    resource: { permissions: object[] }
  }>()
  const permissions = [...resource.permissions, rule('allow resource.read', group)]
  expect((await admin('PUT', '/api/resource/0', { resource: { permissions } })).status).toBe(200)
  const read = () => there('GET', '/api/resource/0', undefined, basic('member', goodPassword))
  expect((await read()).status).toBe(200)
  await admin('PUT', groupsPath + group, { members: [] })
  await heard()
  expect((await read()).status).toBe(403)
})
