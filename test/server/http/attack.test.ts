import { request } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

/** Asks for a path as it is written: `fetch` would tidy it first. */
async function askRaw({ url }: TestServer, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url)
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
  const asking = request({ hostname, port, path, method: 'GET' }, async (answer) => {
    const text = (await Array.fromAsync(answer as AsyncIterable<Buffer>)).join('')
    resolve({ status: answer.statusCode ?? 0, text })
  })
  asking.on('error', reject).end()
  return promise
}

/** A line that every file of passwords has, and nothing of ours. */
const secret = /root:.*:0:0:/

const climbs = ['..', '%2e%2e', '%2E.', '..%2f..', '..%5c..', '..\\..', '%252e%252e', '....//']
const statements = [
  `'; drop table resource; --`,
  `' or '1'='1`,
  `") or true; --`,
  `x' union select password_hash from principal --`,
  `\\'; select pg_sleep(100); --`,
  `$1::text`,
  `%' or keyname like '%`,
]

describeServer('an attack', (start) => {
  test('no path leads outside the served folders', async () => {
    const server = await start()
    const web =
      /\/static\/web\/[0-9a-f]+\//.exec((await askRaw(server, '/login')).text)?.[0] ?? '/static/web/'
    for (const base of [web, '/static/', '/resource/', '/api/resource/0/', '/docs/', '/'])
      for (const climb of climbs) {
        const path = `${base}${Array.from({ length: 12 }, () => climb).join('/')}/etc/passwd`
        const { status, text } = await askRaw(server, path)
        expect([path, status]).toEqual([path, expect.toSatisfy((code: number) => [400, 404].includes(code))])
        expect(text).not.toMatch(secret)
      }
  })

  test('SQL in strings is stored and found unchanged, and never executed', async () => {
    const { admin, database } = await start()
    const count = async () =>
      (await database.query<{ count: number }>('select count(*)::int as count from resource'))[0]?.count
    for (const text of statements) {
      const before = await count()
      const items = { [text.slice(0, 200)]: text }
      const made = await admin('POST', '/api/resource/', {
        resource: { cls: 'resource_group', parent: { id: 0 }, display_name: text, description: text },
        resmeta: { items },
      })
      expect(made.status, text).toBe(200)
      const { id } = await made.json<{ id: number }>()
      const names = [
        'display_name',
        'display_name__in',
        'display_name__ilike',
        'description',
        'resmeta__x',
        'owner_user',
      ]
      const statuses = new Set<number>()
      for (const name of [...names, 'root', 'id', 'cls', 'parent_id__recursive', 'limit', 'keyname__like'])
        statuses.add(
          (await admin('GET', `/api/resource/search/?${new URLSearchParams({ [name]: text })}`)).status,
        )
      expect([...statuses].sort()).toEqual([200, 422])
      const found = await admin('GET', `/api/resource/search/?${new URLSearchParams({ display_name: text })}`)
      expect(await found.json()).toEqual([{ resource: expect.objectContaining({ id, description: text }) }])
      expect(await count()).toBe((before ?? 0) + 1)
      expect((await admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
    }
  })

  test('SQL in field names and feature values is never executed', async () => {
    const { admin } = await start()
    const fields = statements.map((keyname) => ({ keyname, datatype: 'STRING' }))
    const layer = await createLayer(admin, { name: 'Named', geometryType: 'POINT', fields })
    const values = Object.fromEntries(statements.map((text) => [text, text]))
    const path = `/api/resource/${layer}/feature/`
    expect((await admin('POST', path, { geom: 'POINT (1 1)', fields: values })).status).toBe(200)
    for (const text of statements) {
      const answer = await admin('GET', `${path}?${new URLSearchParams({ [`fld_${text}`]: text })}`)
      const told = await answer.json<{ fields: object }[]>()
      expect([text, answer.status, told.map((one) => one.fields)]).toEqual([text, 200, [values]])
      const ordered = await admin('GET', `${path}?${new URLSearchParams({ order_by: text })}`)
      expect([text, ordered.status], text).toEqual([
        text,
        expect.toSatisfy((code) => [200, 422].includes(code)),
      ])
    }
    expect((await admin('DELETE', `/api/resource/${layer}`)).status).toBe(200)
  })

  test('numbers out of the range of the database match nothing, wherever they are sent', async () => {
    const { admin } = await start()
    const layer = await createLayer(admin, { name: 'Counted', geometryType: 'POINT' })
    await admin('POST', `/api/resource/${layer}/feature/`, { geom: 'POINT (1 1)' })
    const place = `/api/resource/${layer}/feature/1/attachment/`
    const service = (maxfeatures: unknown) => ({
      resource: { cls: 'wfsserver_service', parent: { id: 0 }, display_name: 'Counted service' },
      wfsserver_service: { layers: [{ keyname: 'a', display_name: 'a', resource_id: layer, maxfeatures }] },
    })
    for (const large of [2 ** 53, 2 ** 64, 1e30]) {
      const digits = BigInt(large)
      const cases = [
        ['GET', `${place}${digits}`, undefined, 404],
        ['PUT', `${place}${digits}`, {}, 404],
        ['DELETE', `${place}${digits}`, undefined, 404],
        ['GET', `${place}${digits}/download`, undefined, 404],
        ['GET', `${place}${digits}/image`, undefined, 404],
        ['POST', '/api/feature_layer/identify', { srs: large, geom: 'POINT (1 1)', layers: [layer] }, 422],
        ['POST', '/api/feature_layer/identify', { srs: 3857, geom: 'POINT (1 1)', layers: [large] }, 200],
        [
          'POST',
          '/api/component/resource/attr',
          { resources: { type: 'search', root: large }, attributes: [] },
          200,
        ],
        ['POST', '/api/resource/', service(large), 422],
      ] as const
      for (const [method, path, body, status] of cases) {
        const answer = await admin(method, path, body)
        expect([method, path, body, answer.status]).toEqual([method, path, body, status])
      }
    }
    expect((await admin('DELETE', `/api/resource/${layer}`)).status).toBe(200)
  })

  const external = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
  const laughs = `<!DOCTYPE x [<!ENTITY a0 "ha">${Array.from(
    { length: 30 },
    (_, at) => `<!ENTITY a${at + 1} "&a${at};&a${at};&a${at};&a${at};">`,
  ).join('')}<!ENTITY e "&a30;">]>`
  const documents: readonly (readonly [string, string, (head: string) => string])[] = [
    [
      'KML',
      'a.kml',
      (head) =>
        `<?xml version="1.0"?>${head}<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>&e;</name><Point><coordinates>1,2</coordinates></Point></Placemark></Document></kml>`,
    ],
    [
      'GML',
      'a.gml',
      (head) =>
        `<?xml version="1.0"?>${head}<wfs:FeatureCollection xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml"><gml:featureMember><f><n>&e;</n><g><gml:Point srsName="EPSG:4326"><gml:coordinates>1,2</gml:coordinates></gml:Point></g></f></gml:featureMember></wfs:FeatureCollection>`,
    ],
    [
      'GPX',
      'a.gpx',
      (head) =>
        `<?xml version="1.0"?>${head}<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="1" lon="2"><name>&e;</name></wpt></gpx>`,
    ],
  ]
  const heads = [
    ['reads other files', external],
    ['grows without end', laughs],
  ] as const

  test.each(
    documents.flatMap(([format, name, write]) =>
      heads.map((head) => [format, ...head, name, write] as const),
    ),
  )('a %s file that %s gives nothing away and ends', async (_format, _what, head, name, write) => {
    const { admin } = await start()
    const form = new FormData()
    form.append('file', new Blob([write(head)]), name)
    const answer = await admin('POST', '/api/component/file_upload/', form)
    const {
      upload_meta: [source],
    } = await answer.json<{ upload_meta: [object] }>()
    const made = await admin('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: `${name} ${head.length}` },
      vector_layer: { source, srs: { id: 3857 } },
    })
    const told = await made.text()
    expect([made.status, told]).toEqual([
      expect.toSatisfy((code) => [200, 422].includes(code)),
      expect.not.stringMatching(secret),
    ])
    if (made.status !== 200) return
    const { id } = JSON.parse(told) as { id: number }
    const features = await (await admin('GET', `/api/resource/${id}/feature/`)).text()
    expect(features).not.toMatch(secret)
    expect(features.length).toBeLessThan(10_000)
  })

  test.each(heads)('a style that %s is refused', async (_what, head) => {
    const { admin } = await start()
    const parent = await createLayer(admin, { name: `Styled ${head.length}`, geometryType: 'POINT' })
    const upload = await uploadContent(admin, `${head}<qgis>&e;</qgis>`)
    const bodies = [
      ['mapsrv_style', { xml: `${head}<map><layer><class><style>&e;</style></class></layer></map>` }],
      ['desk_vector_style', { qml: `${head}<qgis>&e;</qgis>` }],
      ['desk_vector_style', { file_upload: upload }],
    ] as const
    for (const [cls, member] of bodies) {
      const answer = await admin('POST', '/api/resource/', {
        resource: { cls, parent: { id: parent }, display_name: 'Attack' },
        [cls]: member,
      })
      expect([cls, answer.status, await answer.text()]).toEqual([cls, 422, expect.not.stringMatching(secret)])
    }
  })

  test('pipelined requests are answered in order, and clients that do not read delay nobody', async () => {
    const server = await start()
    const { hostname, port } = new URL(server.url)
    const ids = Array.from({ length: 500 }, (_, at) => `pipelined-${at}`)
    const lines = ids.map((id) => `GET /openapi.json HTTP/1.1\r\nHost: test\r\nX-Request-Id: ${id}\r\n\r\n`)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.write(lines.join(''))
    expect((await server.guest('GET', '/api/component/core/ping')).status).toBe(200)
    const answered: string[] = []
    for await (const line of createInterface({ input: socket })) {
      // Responses of JSON in one line: the next head follows the body without a line break.
      const id = /^x-request-id: (.*)$/i.exec(line)?.[1]
      if (id !== undefined) answered.push(id)
      if (answered.length === ids.length) break
    }
    socket.destroy()
    expect(answered).toEqual(ids)
  })
})
