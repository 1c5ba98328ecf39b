import { expect, test } from 'vitest'
import { openLayerClient } from '../../support/layer_client.ts'
import { type Ask, describeServers, type TestResponse, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

const clients = 64
const count = 2000

interface Feature {
  readonly id: number
  readonly fields: Readonly<Record<string, unknown>>
}

let made = 0
const create = async (ask: Ask) => {
  made += 1
  const fields = [
    { keyname: 'n', datatype: 'INTEGER' },
    { keyname: 'text', datatype: 'STRING' },
  ]
  const id = await createLayer(ask, { name: `Contested ${made}`, geometryType: 'POINT', fields })
  const path = `/api/resource/${id}/feature/`
  const text = 'x'.repeat(100)
  const entries = Array.from({ length: count }, (_, n) => ({ geom: `POINT(${n} 0)`, fields: { n, text } }))
  expect((await ask('PATCH', path, entries)).status).toBe(200)
  return { id, path }
}

/** What an answer was: its status, with its text, or nothing where it was broken off, so that nobody takes it for whole. */
const readAll = async (asking: Promise<TestResponse>) => {
  const answer = await asking
  const text = await answer.text().catch(() => undefined)
  return { status: answer.status, text }
}
type Read = Awaited<ReturnType<typeof readAll>>

/** Asks in many ways at once, over and over until the work is done; gives all answers. */
const besides = async (asks: readonly (() => Promise<TestResponse>)[], work: () => Promise<void>) => {
  let isDone = false
  const reading = asks.map(async (ask) => {
    const answers: Read[] = []
    do answers.push(await readAll(ask()))
    while (!isDone)
    return answers
  })
  const [working, ...read] = await Promise.allSettled([
    work().finally(() => {
      isDone = true
    }),
    ...reading,
  ])
  if (working.status === 'rejected') throw working.reason
  return read.flatMap((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value ?? []
  })
}

const readsOf = ({ admin }: TestServer, id: number) => [
  () => admin('GET', `/api/resource/${id}/feature/`),
  () => admin('GET', `/api/resource/${id}/feature/?order_by=-id&limit=500&offset=300`),
  () => admin('GET', `/api/resource/${id}/feature/?limit=100&offset=1500`),
  () => admin('GET', `/api/resource/${id}/feature_count?bbox=0,-1,100,1`),
  () => admin('GET', `/api/resource/${id}/extent`),
  () => admin('GET', `/api/resource/${id}/geojson`),
  () => admin('GET', `/api/resource/${id}/export?format=CSV`),
  () => admin('GET', `/api/component/feature_layer/mvt?z=3&x=4&y=3&resource=${id}`),
  () =>
    admin('POST', '/api/feature_layer/identify', {
      srs: 3857,
      geom: 'POLYGON((0 -1,9 -1,9 1,0 1,0 -1))',
      layers: [id],
    }),
]

/** Makes sure that all answers are of such a kind, and that those that succeeded are whole. */
const checkStatuses = (answers: readonly Read[], allowed: readonly number[]) => {
  for (const { status, text } of answers) {
    expect(allowed, `${status} ${text?.slice(0, 300)}`).toContain(status)
    if (status !== 200 || text === undefined) continue
    if (/^[[{]/.test(text)) expect(() => JSON.parse(text)).not.toThrow()
  }
}

describeServers('features with concurrent requests', (start) => {
  test('are changed by one request after the other, in whatever order they list them', async () => {
    const { admin } = await start()
    const { path } = await create(admin)
    const ids = Array.from({ length: 200 }, (_, at) => at + 1)
    const answers = await Promise.all(
      Array.from({ length: clients }, (_, n) => {
        const entries = ids.map((id) => ({ id, fields: { n } }))
        return readAll(admin('PATCH', path, n % 2 === 0 ? entries : entries.toReversed()))
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const features = await (await admin('GET', `${path}?limit=200`)).json<Feature[]>()
    expect(new Set(features.map(({ fields }) => fields.n)).size).toBe(1)
  })

  test('are deleted by one request, and not found by the others', async () => {
    const { admin } = await start()
    const { path } = await create(admin)
    const contested = [{ id: 1 }, { id: 2 }]
    const answers = await Promise.all(
      Array.from({ length: clients }, (_, n) => {
        if (n % 3 === 0) return readAll(admin('DELETE', path, contested))
        if (n % 3 === 1) return readAll(admin('DELETE', `${path}1`))
        return readAll(admin('PUT', `${path}2`, { fields: { n } }))
      }),
    )
    const deleted = answers.filter(({ status }, n) => n % 3 !== 2 && status === 200)
    expect(deleted.length).toBeGreaterThan(0)
    expect(deleted.length).toBeLessThan(3)
    checkStatuses(answers, [200, 404])
    expect((await admin('GET', `${path}1`)).status).toBe(404)
  })

  test('are listed completely while they are deleted', async () => {
    const server = await start()
    const { id, path } = await create(server.admin)
    const answers = await besides(readsOf(server, id), async () => {
      for (let at = 0; at < 10; at += 1) {
        const gone = Array.from({ length: 100 }, (_, one) => ({ id: 100 * at + one + 1 }))
        expect((await server.admin('DELETE', path, gone)).status).toBe(200)
      }
    })
    checkStatuses(answers, [200, 204])
    const lists = answers.flatMap(({ text = '' }) =>
      text.startsWith('[') ? [JSON.parse(text) as object[]] : [],
    )
    // Hundreds go at a time: no list shows a part of them.
    for (const features of lists) expect([features.length % 100, features.length <= count]).toEqual([0, true])
  })

  test('are read while fields are added, dropped and change their type', async () => {
    const server = await start()
    const { id } = await create(server.admin)
    const client = openLayerClient(server)
    const answers = await besides(readsOf(server, id), async () => {
      for (let at = 0; at < 4; at += 1) {
        const { feature_layer: own } = await client.get(id)
        const number = own.fields.find(({ keyname }) => keyname === 'n')
        const datatype = number?.datatype === 'INTEGER' ? 'STRING' : 'INTEGER'
        const added = own.fields.find(({ keyname }) => keyname === 'more')
        const more = added ? { id: added.id, delete: true } : { keyname: 'more', datatype: 'DATE' }
        await client.put(id, { feature_layer: { fields: [{ id: number?.id, datatype }, more] } })
      }
    })
    checkStatuses(answers, [200, 204, 409])
  })

  test('are read while their data is replaced', async () => {
    const server = await start()
    const { id } = await create(server.admin)
    const client = openLayerClient(server)
    const features = [
      { type: 'Feature', properties: { n: 1 }, geometry: { type: 'Point', coordinates: [1, 0] } },
    ]
    const source = await client.upload('a.geojson', JSON.stringify({ type: 'FeatureCollection', features }))
    const answers = await besides(readsOf(server, id), async () => {
      for (let at = 0; at < 3; at += 1) await client.put(id, { vector_layer: { source, srs: { id: 3857 } } })
    })
    checkStatuses(answers, [200, 204, 409])
  })

  test('are read, exported and written while their layer is deleted', async () => {
    const server = await start()
    const { admin } = server
    const { id, path } = await create(admin)
    const writes = [
      () => admin('PATCH', path, [{ fields: { n: 1 } }]),
      () => admin('PUT', `${path}5`, { fields: { n: 2 } }),
      () => admin('GET', `/api/resource/${id}/export?format=FlatGeobuf`),
    ]
    const answers = await besides([...readsOf(server, id), ...writes], async () => {
      for (let at = 0; at < 5; at += 1) await admin('GET', path)
      expect((await admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
    })
    checkStatuses(answers, [200, 204, 404, 403, 409, 422])
    expect((await admin('GET', path)).status).toBe(404)
  })
})
