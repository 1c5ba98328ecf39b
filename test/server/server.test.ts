import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Log, silentLog } from '../../src/core/log.ts'
import type { ServerConfig } from '../../src/server/config.ts'
import { createServer, type RunningServer } from '../../src/server/server.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { startTestServer } from '../support/server.ts'

const listen = { host: '127.0.0.1', port: 0 }
let dataFolder: string
let running: RunningServer | undefined

beforeEach(async () => {
  dataFolder = await mkdtemp(join(tmpdir(), 'landform-start-'))
})
afterEach(async () => {
  await running?.stop()
  running = undefined
  await rm(dataFolder, { recursive: true, force: true })
})

const start = async (more: Partial<ServerConfig> = {}) => {
  running = await createServer({ listen, dataFolder, ...more })
  return running
}

const ask = (url: string, password: string, path: string, init: RequestInit = {}) =>
  fetch(url + path, { ...init, headers: { authorization: `Basic ${btoa(`administrator:${password}`)}` } })

test('the first start generates a password readable by the owner only, and later starts use the existing data', async () => {
  const first = await start()
  const password = first.adminPassword ?? ''
  expect(password).toMatch(/^[\w-]{24}$/)
  const file = join(dataFolder, 'admin-password')
  expect(await readFile(file, 'utf8')).toBe(`${password}\n`)
  expect(((await stat(file)).mode & 0o777).toString(8)).toBe('600')
  const resource = { cls: 'resource_group', parent: { id: 0 }, display_name: 'Kept', keyname: 'kept' }
  const body = JSON.stringify({ resource })
  expect((await ask(first.url, password, '/api/resource/', { method: 'POST', body })).status).toBe(200)
  await expect(createServer({ listen, dataFolder })).rejects.toMatchObject({ code: 'database/locked' })
  await first.stop()
  await writeFile(join(dataFolder, 'temporary', 'left-over'), 'x')
  const second = await start({ adminPassword: 'another one' })
  expect(second.adminPassword).toBeUndefined()
  expect(await readdir(join(dataFolder, 'temporary'))).toEqual([])
  const found = await ask(second.url, password, '/api/resource/search/?keyname=kept')
  expect(await found.json()).toHaveLength(1)
})

test('only its owner can access the data folder, and an accessible one is restricted with a warning', async () => {
  const modeOf = async (...names: string[]) =>
    ((await stat(join(dataFolder, 'inner', ...names))).mode & 0o777).toString(8)
  const database = await createTestDatabase()
  const lines: object[] = []
  const log: Log = {
    ...silentLog,
    warn: (facts, message) => void lines.push({ ...facts, message }),
    child: () => log,
  }
  const folder = join(dataFolder, 'inner')
  const config = { dataFolder: folder, databaseUrl: database.url, log }
  const umask = process.umask(0)
  try {
    await (await start(config)).stop()
    expect([await modeOf(), await modeOf('secret-key'), await modeOf('admin-password')]).toEqual([
      '700',
      '600',
      '600',
    ])
    expect(lines).toEqual([])
    for (const name of ['.', 'secret-key', 'admin-password']) await chmod(join(folder, name), 0o755)
    await (await start(config)).stop()
    expect([await modeOf(), await modeOf('secret-key'), await modeOf('admin-password')]).toEqual([
      '700',
      '600',
      '600',
    ])
    const message = 'other users could read the data directory: changed its mode to 700'
    expect(lines).toEqual([{ folder, mode: '755', message }])
  } finally {
    process.umask(umask)
  }
  await database.drop()
})

test('a folder of another user is not used for data', async () => {
  await writeFile(join(dataFolder, 'notes.txt'), 'theirs')
  await chmod(dataFolder, 0o755)
  await expect(start()).rejects.toMatchObject({ code: 'files/exposed' })
  expect(await readdir(dataFolder)).toEqual(['notes.txt'])
})

test('a configured password is not stored in a file', async () => {
  const database = await createTestDatabase()
  const server = await start({ databaseUrl: database.url, adminPassword: 'given to it' })
  expect(server.adminPassword).toBeUndefined()
  expect(await readdir(dataFolder)).not.toContain('admin-password')
  expect((await ask(server.url, 'given to it', '/api/resource/0')).status).toBe(200)
  await server.stop()
  await database.drop()
})

test('two processes that start concurrently on one database have the same principals', async () => {
  const database = await createTestDatabase()
  const config = { listen, databaseUrl: database.url, adminPassword: 'shared by two' }
  const servers = await Promise.all(
    ['a', 'b'].map((name) => createServer({ ...config, dataFolder: join(dataFolder, name) })),
  )
  for (const { url } of servers) expect((await ask(url, 'shared by two', '/api/resource/0')).status).toBe(200)
  await Promise.all(servers.map((server) => server.stop()))
  await database.drop()
})

test('a port in use is reported, and the database is closed', async () => {
  const taken = await startTestServer('postgres')
  const database = await createTestDatabase()
  const port = Number(new URL(taken.url).port)
  const config = { listen: { ...listen, port }, dataFolder, databaseUrl: database.url }
  await expect(createServer(config)).rejects.toMatchObject({
    code: 'server/listen',
    message: `Cannot listen on 127.0.0.1:${port}: the address is in use.`,
  })
  // Fails where a connection is still open.
  await database.drop()
  await taken.stop()
})

test('a stopping server completes running requests and accepts no new ones, and stop is idempotent', async () => {
  const server = await startTestServer('postgres')
  const sent = request(`${server.url}/api/component/file_upload/`, {
    method: 'PUT',
    headers: { 'content-length': 6 },
  })
  const answered = once(sent, 'response')
  sent.write('abc')
  // Answered only after the server has the first half of the upload.
  await server.guest('GET', '/healthz')
  const stopping = server.running.stop()
  sent.end('def')
  const [response] = await answered
  expect(response.statusCode).toBe(200)
  response.resume()
  await stopping
  await expect(server.guest('GET', '/healthz')).rejects.toThrow()
  await server.stop()
})

test('an unavailable database is 503 without details, and the process still responds', async () => {
  const database = await createTestDatabase()
  const server = await start({ databaseUrl: database.url, adminPassword: 'x' })
  await database.drop().catch(() => undefined)
  const ready = await fetch(`${server.url}/readyz`)
  expect(ready.status).toBe(503)
  const text = await ready.text()
  expect(text).not.toContain(database.name)
  expect(JSON.parse(text)).toMatchObject({ code: 'database/unavailable', status_code: 503, data: {} })
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  const resource = await fetch(`${server.url}/api/resource/0`)
  expect(resource.status).toBe(503)
  expect(await resource.text()).not.toContain(database.name)
})
