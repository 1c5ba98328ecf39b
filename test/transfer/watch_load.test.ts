import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { type LoadProgress, watchLoad } from '../../src/transfer/watch_load.ts'
import { openLayerClient } from '../support/layer_client.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

let server: TestServer
let api: Api
beforeAll(async () => {
  server = await startTestServer('postgres')
  api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
})
afterAll(async () => {
  await api.close()
  await server.stop()
})

const table = (count: number) =>
  `nr,lon,lat\n${Array.from({ length: count }, (_, index) => `${index},1,2\n`).join('')}`

it('tells how far the server is while it reads an upload, and gives what the request came to', async () => {
  const source = await openLayerClient(server).upload('a.csv', table(60_000))
  const told: LoadProgress[] = []
  const body = {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Watched' },
    vector_layer: { source, srs: { id: 3857 } },
  }
  const watched = { uid: source.id, everyMs: 1, onProgress: (progress: LoadProgress) => told.push(progress) }
  const made = await watchLoad(api, watched, api.call('resource.create', { body }))
  expect(made.id).toBeGreaterThan(0)
  const writing = told.filter(({ step }) => step === 'writing').map(({ features }) => features)
  expect(writing.length).toBeGreaterThan(0)
  expect(writing).toEqual(writing.toSorted((a, b) => a - b))
})

it('fails as the request does, and only so', async () => {
  const told: LoadProgress[] = []
  const watched = {
    uid: 'f'.repeat(32),
    everyMs: 1,
    onProgress: (progress: LoadProgress) => told.push(progress),
  }
  await expect(
    watchLoad(api, watched, api.call('resource.get', { params: { id: 999_999 } })),
  ).rejects.toMatchObject({ code: 'resource/not-found' })
  expect(told).toEqual([])
})
