import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyDatatype } from '../../support/layers.ts'
import { adminPassword, startTestServer, type TestServer } from '../../support/server.ts'
import { createLayer } from '../../support/tree.ts'

interface Feature {
  readonly id: number
  readonly geom?: unknown
  readonly fields: Readonly<Record<string, unknown>>
  readonly extensions?: object
}

let server: TestServer
/** A layer that is only read: ids 1 to 4, at (0 0), (10 10), (20 20) and nowhere. */
let read = ''
beforeAll(async () => {
  server = await startTestServer('postgres')
  read = await open('POINT', { ...everyDatatype, name: 'STRING' })
  const moment = { d: '2020-01-02', t: '03:04:05', m: '2020-01-02T03:04:05' }
  const values = [
    { name: 'Alps', i: 3, r: 0.5, b: '9007199254740993', ...moment },
    { name: 'Andes', i: 1, r: -2, b: 12 },
    { name: 'Urals', i: 2, r: 1e300 },
    {},
  ]
  const geoms = ['POINT(0 0)', 'POINT(10 10)', 'POINT(20 20)']
  const entries = values.map((fields, at) => ({ fields, ...(at < 3 && { geom: geoms[at] }) }))
  await send('PATCH', read, entries)
})
afterAll(() => server.stop())

let made = 0
/** Makes a layer and gives the path of its features. */
const open = async (geometryType: string, fields: Readonly<Record<string, string>> = {}) => {
  made += 1
  const columns = Object.entries(fields).map(([keyname, datatype]) => ({ keyname, datatype }))
  const id = await createLayer(server.admin, { name: `Layer ${made}`, geometryType, fields: columns })
  return `/api/resource/${id}/feature/`
}

const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
  const answer = await server.admin(method, path, body)
  expect(answer.status, await answer.clone().text()).toBe(200)
  return answer.json<T>()
}
const statusOf = async (method: string, path: string, body?: unknown) =>
  (await server.admin(method, path, body)).status
const list = (query = '', path = read) => send<Feature[]>('GET', `${path}?${query}`)
const idsOf = async (query: string) => (await list(query)).map(({ id }) => id)

describe('Feature', () => {
  test('id | integer | feature identifier', async () => {
    expect(await list('fields=&geom=no&extensions=')).toEqual(
      [1, 2, 3, 4].map((id) => ({ id, fields: {}, extensions: {} })),
    )
  })

  test('geom | string (WKT) or object (GeoJSON geometry when geom_format=geojson) | geometry', async () => {
    expect((await list()).map(({ geom }) => geom)).toEqual([
      'POINT(0 0)',
      'POINT(10 10)',
      'POINT(20 20)',
      null,
    ])
    const [, second] = await list('geom_format=geojson')
    expect(second?.geom).toEqual({ type: 'Point', coordinates: [10, 10] })
  })

  test.each([
    ['POINTZ', 'POINT Z (1 2 3)'],
    ['LINESTRINGZ', 'LINESTRING Z (0 0 1,1 1 2)'],
    ['MULTIPOLYGONZ', 'MULTIPOLYGON Z (((0 0 1,4 0 1,4 4 1,0 0 1)))'],
    ['MULTILINESTRING', 'MULTILINESTRING((0 0,1 1),(2 2,3 3))'],
  ])('geom of a layer of %s', async (geometryType, geom) => {
    const path = await open(geometryType)
    await send('POST', path, { geom })
    expect(await list('', path)).toMatchObject([{ geom }])
  })

  test('fields | object | attribute name to value', async () => {
    const [first, , , last] = await list()
    expect(first?.fields).toMatchObject({ name: 'Alps', i: 3, r: 0.5, s: null, b: '9007199254740993' })
    expect(last?.fields).toEqual({
      i: null,
      b: null,
      r: null,
      s: null,
      d: null,
      t: null,
      m: null,
      name: null,
    })
  })

  test('a date has day, month, year; a timestamp also has hour, minute, second', async () => {
    const [first] = await list()
    const [date, time] = [
      { day: 2, month: 1, year: 2020 },
      { hour: 3, minute: 4, second: 5 },
    ]
    expect(first?.fields).toMatchObject({ d: date, t: time, m: { ...date, ...time } })
  })
})

describe('Features', () => {
  test('GET /api/resource/<id>/feature/<feature_id>/?srs=<epsg> | one feature', async () => {
    const feature = await send<Feature>('GET', `${read}2/`)
    expect([feature]).toEqual(await list('id=2'))
    const { geom } = await send<Feature>('GET', `${read}2/?srs=4326&geom_format=geojson`)
    const degrees = expect.closeTo(0.0000898315284, 9)
    expect(geom).toEqual({ type: 'Point', coordinates: [degrees, degrees] })
  })

  test('GET /api/resource/<id>/feature/ | array of features', async () => {
    expect(await idsOf('')).toEqual([1, 2, 3, 4])
    expect(await list('', await open('POINT'))).toEqual([])
  })

  test('POST /api/resource/<layer_id>/feature/ | only the given fields are set and the rest take defaults', async () => {
    const path = await open('POINT', { a: 'INTEGER', b: 'STRING' })
    expect(await send('POST', path, { geom: 'POINT (1 2)', fields: { a: 7 } })).toEqual({ id: 1 })
    expect(await list('', path)).toEqual([
      {
        id: 1,
        geom: 'POINT(1 2)',
        fields: { a: 7, b: null },
        extensions: { description: null, attachment: null },
      },
    ])
  })

  test('PUT /api/resource/<layer_id>/feature/<feature_id>?srs=<epsg> | only changed members are needed; geometry may be omitted', async () => {
    const path = await open('POINT', { a: 'INTEGER', b: 'STRING' })
    await send('POST', path, { geom: 'POINT(1 2)', fields: { a: 7, b: 'x' } })
    expect(await send('PUT', `${path}1`, { id: 1, fields: { b: 'y' } })).toEqual({ id: 1 })
    expect(await list('', path)).toMatchObject([{ geom: 'POINT(1 2)', fields: { a: 7, b: 'y' } }])
    await send('PUT', `${path}1`, { geom: 'POINT(3 4)' })
    expect(await list('', path)).toMatchObject([{ geom: 'POINT(3 4)', fields: { a: 7, b: 'y' } }])
  })

  test('PUT | geometry type and reference must match the layer unless srs reprojects', async () => {
    const path = await open('POINT')
    await send('POST', path, { geom: 'POINT(1 2)' })
    expect(await statusOf('PUT', `${path}1`, { geom: 'LINESTRING(1 2,3 4)' })).toBe(422)
    expect(await statusOf('PUT', `${path}1`, { geom: 'SRID=4326;POINT(1 2)' })).toBe(422)
    await send('PUT', `${path}1?srs=4326`, { geom: 'POINT(180 0)' })
    const [feature] = await list('geom_format=geojson', path)
    const coordinates = [expect.closeTo(20037508.3427892, 5), expect.closeTo(0, 5)]
    expect(feature?.geom).toEqual({ type: 'Point', coordinates })
  })

  test('PATCH /api/resource/<layer_id>/feature/ | an entry without id creates a feature, with id changes it; response array of {id} in request order', async () => {
    const path = await open('POINT', { a: 'INTEGER' })
    expect(await send('PATCH', path, [{ fields: { a: 1 } }, { fields: { a: 2 } }])).toEqual([
      { id: 1 },
      { id: 2 },
    ])
    const entries = [{ id: 2, fields: { a: 20 } }, { geom: 'POINT(1 1)' }, { id: 1, geom: 'POINT(2 2)' }]
    expect(await send('PATCH', path, entries)).toEqual([{ id: 2 }, { id: 3 }, { id: 1 }])
    expect(await list('extensions=', path)).toEqual([
      { id: 1, geom: 'POINT(2 2)', fields: { a: 1 }, extensions: {} },
      { id: 2, geom: null, fields: { a: 20 }, extensions: {} },
      { id: 3, geom: 'POINT(1 1)', fields: { a: null }, extensions: {} },
    ])
  })

  test('DELETE /api/resource/<layer_id>/feature/<feature_id> | deletes one feature', async () => {
    const path = await open('POINT')
    await send('PATCH', path, [{}, {}])
    await send('DELETE', `${path}1`)
    expect((await list('', path)).map(({ id }) => id)).toEqual([2])
    expect(await statusOf('DELETE', `${path}1`)).toBe(404)
  })

  test('DELETE /api/resource/<layer_id>/feature/ | with a body array of {id} deletes those features; without a body deletes all features', async () => {
    const path = await open('POINT')
    await send('PATCH', path, [{}, {}, {}, {}])
    expect(await send('DELETE', path, [{ id: 3 }, { id: 1 }])).toEqual([3, 1])
    expect((await list('', path)).map(({ id }) => id)).toEqual([2, 4])
    expect(await send('DELETE', path)).toBe(true)
    expect(await list('', path)).toEqual([])
  })
})

describe('Query parameters of the feature list', () => {
  test('limit, offset | integers; limit the count, skip features', async () => {
    expect(await idsOf('limit=2')).toEqual([1, 2])
    expect(await idsOf('offset=3')).toEqual([4])
    expect(await idsOf('limit=2&offset=1')).toEqual([2, 3])
    expect(await idsOf('limit=2&offset=99')).toEqual([])
    for (const query of ['limit=x', 'limit=-1', 'offset=1.5'])
      expect(await statusOf('GET', `${read}?${query}`), query).toBe(422)
  })

  test('order_by | comma-separated field names; a leading minus means descending', async () => {
    expect(await idsOf('order_by=i')).toEqual([2, 3, 1, 4])
    expect(await idsOf('order_by=-i&fld_i__isnull=no')).toEqual([1, 3, 2])
    expect(await idsOf('order_by=s,-name&fld_name__isnull=no')).toEqual([3, 2, 1])
    expect(await idsOf('order_by=-id')).toEqual([4, 3, 2, 1])
    expect(await statusOf('GET', `${read}?order_by=nothing`)).toBe(422)
  })

  test('intersects | WKT geometry in EPSG:3857; only intersecting features are returned', async () => {
    expect(await idsOf('intersects=POLYGON((-1 -1,11 -1,11 11,-1 11,-1 -1))')).toEqual([1, 2])
    // Its box holds the first two as well.
    expect(await idsOf('intersects=POLYGON((0 5,20 25,0 25,0 5))')).toEqual([])
  })

  test('fields | comma-separated attribute names to return', async () => {
    const [first] = await list('fields=name,i')
    expect(first?.fields).toEqual({ i: 3, name: 'Alps' })
  })

  test('fld_<field> | equality filter on the attribute', async () => {
    expect(await idsOf('fld_name=Alps')).toEqual([1])
    expect(await idsOf('fld_i=2')).toEqual([3])
    expect(await idsOf('fld_d=2020-01-02')).toEqual([1])
    expect(await idsOf('fld_name=alps')).toEqual([])
  })

  test.each([
    ['gt', 'i', '1', [1, 3]],
    ['lt', 'i', '3', [2, 3]],
    ['ge', 'i', '2', [1, 3]],
    ['le', 'i', '2', [2, 3]],
    ['eq', 'i', '2', [3]],
    ['ne', 'i', '2', [1, 2]],
    ['gt', 'b', '9007199254740992', [1]],
    ['lt', 'm', '2020-01-02T03:04:06', [1]],
    ['like', 'name', 'A%', [1, 2]],
    ['like', 'name', '%als', [3]],
    ['like', 'name', '%p%', [1]],
    ['like', 'name', '%P%', []],
    ['ilike', 'name', 'a%', [1, 2]],
    ['ilike', 'name', '%S', [1, 2, 3]],
    ['ilike', 'name', '%AL%', [1, 3]],
    ['gt', 'name', 'Am', [2, 3]],
    ['eq', 'name', '%ls', []],
  ] as const)('fld_<field>__%s: %s %s', async (operator, field, value, ids) => {
    expect(await idsOf(`fld_${field}__${operator}=${encodeURIComponent(value)}`)).toEqual(ids)
  })

  test('geom_format | geojson returns geometry as GeoJSON instead of WKT', async () => {
    const [first, , , last] = await list('geom_format=geojson')
    expect([first?.geom, last?.geom]).toEqual([{ type: 'Point', coordinates: [0, 0] }, null])
    expect(await statusOf('GET', `${read}?geom_format=gml`)).toBe(422)
  })

  test('srs | EPSG code; geometry is reprojected', async () => {
    const [, second] = await list('srs=4326&geom_format=geojson')
    const degrees = expect.closeTo(0.0000898315284, 9)
    expect(second?.geom).toEqual({ type: 'Point', coordinates: [degrees, degrees] })
    expect(await statusOf('GET', `${read}?srs=999998`)).toBe(422)
  })

  test('geom | yes (default) or no', async () => {
    expect(Object.keys((await list('geom=no'))[0] ?? {})).toEqual(['id', 'fields', 'extensions'])
    for (const query of ['', 'geom=yes'])
      expect(Object.keys((await list(query))[0] ?? {})).toEqual(['id', 'geom', 'fields', 'extensions'])
  })

  test('dt_format | iso returns date, time and timestamp in ISO format; obj (default) returns objects', async () => {
    const [iso] = await list('dt_format=iso')
    expect(iso?.fields).toMatchObject({ d: '2020-01-02', t: '03:04:05', m: '2020-01-02T03:04:05' })
    expect(await list('dt_format=obj')).toEqual(await list())
  })

  test('All filters combine with AND', async () => {
    const box = 'intersects=POLYGON((5 5,25 5,25 25,5 25,5 5))'
    expect(await idsOf(box)).toEqual([2, 3])
    expect(await idsOf('fld_i__le=2&fld_name__like=A%25')).toEqual([2])
    expect(await idsOf(`${box}&fld_i__gt=1`)).toEqual([3])
    expect(await idsOf(`${box}&fld_i__gt=1&fld_name=Andes`)).toEqual([])
    expect(await idsOf('fld_i__gt=1&fld_i__gt=2')).toEqual([1])
    expect(await idsOf('fld_i__gt=0&order_by=-i&limit=1&offset=1')).toEqual([3])
  })

  test('A long intersects geometry may be sent as a JSON body {intersects: <WKT>} on the GET request', async () => {
    const ring = Array.from({ length: 9001 }, (_, at) => turn((at % 9000) / 9000))
    const wkt = `POLYGON((${ring.join()}))`
    const found = await getWithBody(`${read}?geom=no`, { intersects: wkt })
    expect(found.map(({ id }) => id)).toEqual([1, 2])
    const both = await getWithBody(`${read}?geom=no&fld_i=1`, { intersects: wkt })
    expect(both.map(({ id }) => id)).toEqual([2])
  })
})

const turn = (part: number) => `${15 * Math.cos(part * 2 * Math.PI)} ${15 * Math.sin(part * 2 * Math.PI)}`

// fetch refuses to send a body with GET.
function getWithBody(path: string, body: object): Promise<Feature[]> {
  const text = JSON.stringify(body)
  const auth = `administrator:${adminPassword}`
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  return new Promise((resolve, reject) => {
    const asking = request(server.url + path, { method: 'GET', auth, headers }, async (answer) => {
      const chunks = (await Array.fromAsync(answer)) as Buffer[]
      resolve(JSON.parse(Buffer.concat(chunks).toString()))
    })
    asking.on('error', reject)
    asking.end(text)
  })
}
