import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Api, createApi } from '../../src/api/api.ts'
import { type LoadProgress, watchLoad } from '../../src/transfer/watch_load.ts'
import { openTestDatabase } from '../support/drivers.ts'
import { copies, type Gate, makeGate } from '../support/gate.ts'
import { openLayerClient } from '../support/layer_client.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'

let gate: Gate
let server: TestServer
let api: Api
beforeAll(async () => {
  gate = makeGate(await openTestDatabase('postgres'), copies)
  server = await startTestServer('postgres', { database: gate.database })
  api = createApi({ url: server.url, credentials: { login: 'administrator', password: adminPassword } })
})
afterAll(async () => {
  await api.close()
  await server.stop()
})

const table = (count: number) =>
  `nr,lon,lat\n${Array.from({ length: count }, (_, index) => `${index},1,2\n`).join('')}`

it('reports the progress of the server while it reads an upload, and returns the answer of the request', async () => {
  const source = await openLayerClient(server).upload('a.csv', table(1000))
  const told: LoadProgress[] = []
  const body = {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Watched' },
    vector_layer: { source, srs: { id: 3857 } },
  }
  gate.shut()
  const onProgress = (progress: LoadProgress) => {
    told.push(progress)
    if (progress.step === 'writing') gate.open()
  }
  const watched = { uid: source.id, everyMs: 1, onProgress }
  const made = await watchLoad(api, watched, api.call('resource.create', { body }))
  expect(made.id).toBeGreaterThan(0)
  expect(told).toContainEqual({ step: 'writing', features: 0, total: 1000 })
})

it('fails only if the request fails', async () => {
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
