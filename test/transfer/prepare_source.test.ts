import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { discardSource, prepareSource } from '../../src/transfer/prepare_source.ts'
import { type ProxyOptions, startProxy } from '../api/proxy.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let path: string
let folder: string
const open: { close(): Promise<void> }[] = []

beforeAll(async () => {
  server = await startTestServer('postgres')
  folder = await mkdtemp(join(tmpdir(), 'landform-prepare-'))
  path = join(folder, 'places.csv')
  await writeFile(path, 'name,population,lon,lat\nHere,12,10,50\nThere,34,11,51\n')
})

afterAll(async () => {
  for (const one of open.reverse()) await one.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

async function stand(decide: ProxyOptions['decide']): Promise<Api> {
  const proxy = await startProxy({ target: server.url, ...(decide ? { decide } : {}) })
  const api = createApi({
    url: proxy.url,
    credentials: { login: 'administrator', password: adminPassword },
    retry: { times: 0, firstDelayMs: 1, maxDelayMs: 1 },
  })
  open.push(proxy, api)
  return api
}

const countPrepared = async () => (await server.database.query('select from prepared_source')).length

describe('prepareSource', () => {
  it('lets the server read and check a file, returns its fields, and can be discarded', async () => {
    const api = await stand(undefined)
    const source = await prepareSource(api, { path, cls: 'vector_layer', options: {} })
    expect(source).toMatchObject({
      token: expect.stringMatching(/^[0-9a-f]{32}$/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(source.fields.map(({ keyname }) => keyname)).toContain('population')
    expect(await countPrepared()).toBe(1)
    await discardSource(api, source.token)
    expect(await countPrepared()).toBe(0)
    await expect(discardSource(api, source.token)).rejects.toMatchObject({ code: 'source/not-prepared' })
  })

  it('reports the progress of the server', async () => {
    const api = await stand(undefined)
    const large = join(folder, 'large.csv')
    await writeFile(large, `nr,lon,lat\n${Array.from({ length: 60_000 }, (_, nr) => `${nr},1,2\n`).join('')}`)
    const told: string[] = []
    const source = { path: large, cls: 'vector_layer', options: {}, pollIntervalMs: 1 }
    const { token } = await prepareSource(api, { ...source, onLoading: ({ step }) => told.push(step) })
    await discardSource(api, token)
    expect(told).toContain('writing')
  })

  it('retries after a connection failure without uploading the file again', async () => {
    const seen: string[] = []
    const api = await stand((method, to) => {
      seen.push(`${method} ${to}`)
      const isFirst = seen.filter((line) => line.startsWith('POST')).length === 1
      return method === 'POST' && isFirst ? 'cut before' : 'pass'
    })
    const { token } = await prepareSource(api, { path, cls: 'vector_layer', options: {} })
    expect(seen.filter((line) => !line.startsWith('GET'))).toEqual([
      'PUT /api/component/file_upload/',
      'POST /api/component/landform/prepared',
      'POST /api/component/landform/prepared',
    ])
    await discardSource(api, token)
  })

  it('fails with the reason of the server for rejected data, without retries', async () => {
    const bad = join(folder, 'bad.geojson')
    await writeFile(bad, 'this is no data')
    const seen: string[] = []
    const api = await stand((method, to) => {
      seen.push(`${method} ${to}`)
      return 'pass'
    })
    await expect(prepareSource(api, { path: bad, cls: 'vector_layer', options: {} })).rejects.toMatchObject({
      code: 'source/unreadable',
      status: 422,
    })
    expect(seen.filter((line) => !line.startsWith('GET'))).toHaveLength(2)
  })
})
