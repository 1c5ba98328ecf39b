import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readBytes } from '../support/exports.ts'
import { type RawRequest, sendRawRequest } from '../support/raw_request.ts'
import { createGroup } from '../support/resources.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { createLayer, createResource } from '../support/tree.ts'
import { formatMetadata } from '../support/tus.ts'
import { geojson, point } from '../support/vector.ts'

const authorization = `Basic ${Buffer.from(`administrator:${adminPassword}`).toString('base64')}`
const json = { 'content-type': 'application/json' }

const fields = [
  { keyname: 'name', datatype: 'STRING', display_name: 'Name' },
  { keyname: 'since', datatype: 'DATE', display_name: 'Since' },
  { keyname: 'seen', datatype: 'DATETIME', display_name: 'Seen' },
]

let server: TestServer
let group = 0
let layer = 0
let path = ''
let count = 0

beforeAll(async () => {
  server = await startTestServer('postgres')
  group = await createGroup(server.admin, 0, { display_name: 'Wild' })
})
afterAll(() => server.stop())
beforeEach(async () => {
  count += 1
  layer = await createLayer(server.admin, {
    name: `Towns ${count}`,
    parent: group,
    geometryType: 'POINT',
    fields,
  })
  path = `/api/resource/${layer}/feature/`
})

const request = (raw: RawRequest) =>
  sendRawRequest(server.url, { ...raw, headers: { authorization, ...raw.headers } })
const send = (method: string, at: string, body: unknown, headers: Record<string, string> = json) =>
  request({ method, path: at, headers, body: JSON.stringify(body) })
const names = async () => {
  const { json: found } = await request({ method: 'GET', path: `${path}?extensions=` })
  return (found as { fields: { name: string } }[]).map(({ fields }) => fields.name)
}
const fill = async (...townNames: readonly string[]) => {
  const rows = townNames.map((name, at) => ({ geom: `POINT (${at} ${at})`, fields: { name } }))
  const { json: ids } = await send('PATCH', path, rows)
  return (ids as { id: number }[]).map(({ id }) => id)
}

describe('pyngw', () => {
  test('adds and reads features, deletes a list without a content type, and deletes all', async () => {
    const row = { geom: 'POINT (1 2)', fields: { name: 'Oslo' }, extensions: {} }
    expect(await send('POST', path, row)).toMatchObject({ status: 200, json: { id: 1 } })
    const [second = 0] = await fill('Wien', 'Bern')
    const found = await request({ method: 'GET', path: `${path}?fld_name=Wien&srs=4326&geom_format=geojson` })
    expect(found.json).toMatchObject([{ id: second, geom: { type: 'Point' } }])
    expect(await send('DELETE', path, [{ id: second }], {})).toMatchObject({ status: 200, json: [second] })
    expect(await names()).toEqual(['Oslo', 'Bern'])
    expect(await request({ method: 'DELETE', path })).toMatchObject({ status: 200, json: true })
    expect((await request({ method: 'GET', path: `/api/resource/${layer}/feature_count` })).json).toEqual({
      total_count: 0,
    })
  })

  test('creates a layer from an unnamed upload, with all import options', async () => {
    const file = geojson([
      { geometry: point(1, 2), properties: { name: 'Oslo', nr: 7 } },
      {
        geometry: {
          type: 'LineString',
          coordinates: [
            [0, 0],
            [1, 1],
          ],
        },
        properties: { name: 'Road', nr: 8 },
      },
      { geometry: null, properties: { name: 'Nowhere', nr: 9 } },
    ])
    const upload = { method: 'PUT', path: '/api/component/file_upload/upload', body: file }
    const { json: source } = await sendRawRequest(server.url, upload)
    const options = {
      cast_geometry_type: 'POINT',
      cast_is_multi: true,
      cast_has_z: false,
      skip_other_geometry_types: true,
      fix_errors: 'LOSSY',
      skip_errors: true,
      fid_source: 'AUTO',
      fid_field: 'nr',
    }
    const resource = { cls: 'vector_layer', parent: { id: group }, display_name: 'Uploaded' }
    const complete = { resource, vector_layer: { source, srs: { id: 3857 }, ...options } }
    const created = await send('POST', '/api/resource/', complete)
    expect(created.status, created.text).toBe(200)
    const { id } = created.json as { id: number }
    const rows = await request({ method: 'GET', path: `/api/resource/${id}/feature/?srs=4326&extensions=` })
    expect(rows.json).toMatchObject([
      { id: 7, geom: expect.stringContaining('MULTIPOINT'), fields: { name: 'Oslo' } },
    ])
  })

  test('uploads in chunks, and reads the upload at its location', async () => {
    const tus = { 'tus-resumable': '1.0.0' }
    const content = 'name,lon,lat\nOslo,10.75,59.875\n'
    const created = await request({
      method: 'POST',
      path: '/api/component/file_upload/',
      headers: {
        ...tus,
        'upload-length': String(content.length),
        'upload-metadata': formatMetadata({ name: 'towns.csv' }),
        'content-length': '0',
      },
    })
    expect(created.status).toBe(201)
    const place = new URL(String(created.headers.location), server.url).pathname
    for (const [from, to] of [
      [0, 10],
      [10, content.length],
    ] as const) {
      const part = await request({
        method: 'PATCH',
        path: place,
        headers: { ...tus, 'upload-offset': String(from), 'content-type': 'application/offset+octet-stream' },
        body: content.slice(from, to),
      })
      expect(part).toMatchObject({ status: 204, headers: { 'upload-offset': String(to) } })
    }
    expect((await request({ method: 'GET', path: place })).json).toMatchObject({
      id: expect.any(String),
      name: 'towns.csv',
      size: content.length,
    })
  })

  test.each([
    ['format=GeoJSON&srs=4326&zipped=false&encoding=UTF-8', 'towns.geojson', 3],
    ['format=GPKG&srs=3857&zipped=False&encoding=UTF-8', 'towns.gpkg', 3],
    ['format=CSV&srs=4326&zipped=false&encoding=UTF-8&fid=nr', 'towns.csv', 3],
    [
      'format=GeoJSON&srs=4326&zipped=false&encoding=UTF-8&intersects=POLYGON((-1%20-1,0.5%20-1,0.5%200.5,-1%200.5,-1%20-1))&intersects_srs=3857',
      'one.geojson',
      1,
    ],
  ])('exports: %s', async (query, name, count) => {
    await fill('Oslo', 'Wien', 'Bern')
    const answer = await server.admin('GET', `/api/resource/${layer}/export?${query}`)
    expect(answer.status).toBe(200)
    const { layers } = await readBytes(name, Buffer.from(await answer.arrayBuffer()))
    expect(layers[0]?.features).toHaveLength(count)
  })

  test.each(['true', 'True'])('exports an archive: zipped=%s', async (zipped) => {
    const at = `/api/resource/${layer}/export?format=GPKG&srs=4326&zipped=${zipped}&encoding=UTF-8`
    const answer = await server.admin('GET', at)
    expect(
      Buffer.from(await answer.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
  })
})

describe('NextGIS Connect', () => {
  test('adds, updates and nulls in one request, with dates as strings, and gets the ids in order', async () => {
    const [first = 0, second = 0] = await fill('Oslo', 'Wien')
    const changes = [
      { geom: 'POINT (5 5)', fields: { name: 'Bern', since: '1191-01-01', seen: '2024-05-17T09:30:00' } },
      { id: second, geom: null, fields: { name: 'Nowhere' } },
      { id: first, fields: { since: null } },
      { geom: null, fields: { name: 'Empty' } },
    ]
    const sent = await send('PATCH', `${path}?geom_null=true&dt_format=iso`, changes)
    expect(sent).toMatchObject({
      status: 200,
      json: [{ id: second + 1 }, { id: second }, { id: first }, { id: second + 2 }],
    })
    const { json: all } = await request({ method: 'GET', path: `${path}?dt_format=iso&extensions=` })
    expect(all).toMatchObject([
      { id: first, geom: 'POINT(0 0)', fields: { since: null } },
      { id: second, geom: null, fields: { name: 'Nowhere' } },
      { geom: 'POINT(5 5)', fields: { since: '1191-01-01', seen: '2024-05-17T09:30:00' } },
      { geom: null, fields: { name: 'Empty' } },
    ])
  })

  test('reads a page of the fields shown, and deletes a list', async () => {
    const ids = await fill('Oslo', 'Wien', 'Bern')
    const query =
      '?limit=2&offset=1&order_by=id&geom_format=wkt&srs=3857&dt_format=iso&extensions=description,attachment'
    const page = await request({ method: 'GET', path: path + query })
    expect(page).toMatchObject({ headers: { 'content-type': 'application/json' } })
    expect(page.json).toMatchObject([
      { id: ids[1], extensions: { description: null, attachment: null } },
      { id: ids[2] },
    ])
    const gone = ids.slice(0, 2).map((id) => ({ id }))
    expect(await send('DELETE', path, gone)).toMatchObject({ status: 200, json: ids.slice(0, 2) })
    expect(await names()).toEqual(['Bern'])
  })

  test('downloads a layer without waiting for a long-running request', async () => {
    const ids = await fill('Oslo', 'Wien')
    const query = 'format=GPKG&srs=3857&fid=ngw_id&zipped=false'
    const headers = { 'x-lunkwill': 'suggest' }
    const answer = await server.admin('GET', `/api/resource/${layer}/export?${query}`, undefined, headers)
    expect(answer.headers.get('content-type')).toBe('application/geopackage+vnd.sqlite3')
    const { layers } = await readBytes('layer.gpkg', Buffer.from(await answer.arrayBuffer()))
    expect(layers[0]?.features.map(({ values }) => values.ngw_id)).toEqual(ids)
  })

  test('gets a status for a file that is too large', async () => {
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': String(2 ** 50), 'content-length': '0' }
    const at = '/api/component/file_upload/'
    expect(await request({ method: 'POST', path: at, headers })).toMatchObject({
      status: 413,
      json: { status_code: 413, message: expect.any(String) },
    })
  })

  test('gets the id of a missing feature, and the field of an invalid value', async () => {
    const missing = await request({ method: 'GET', path: `${path}99` })
    expect(missing).toMatchObject({
      status: 404,
      json: {
        status_code: 404,
        exception: expect.stringContaining('FeatureNotFound'),
        title: expect.any(String),
      },
    })
    const wrong = await send('PATCH', path, [{ fields: { since: 'yesterday' } }])
    expect(wrong).toMatchObject({ status: 422, json: { message: expect.stringContaining('since') } })
  })
})

describe('NextGIS Mobile', () => {
  const device = 'source=app&ngid=1&deviceid=2'
  const attachmentsOf = async (fid: number) => {
    const { json: all } = await request({
      method: 'GET',
      path: `${path}?dt_format=iso&extensions=attachment`,
    })
    const found = (all as { id: number; extensions: { attachment: object[] | null } }[]).find(
      ({ id }) => id === fid,
    )
    return found?.extensions.attachment
  }

  test('adds, reads, updates and deletes a feature with additional query parameters', async () => {
    const row = { geom: 'POINT (3 4)', fields: { name: 'Oslo', since: { year: 1048, month: 1, day: 1 } } }
    const { json: created } = await send('POST', `${path}?${device}`, row)
    const { id } = created as { id: number }
    const one = await request({ method: 'GET', path: `${path}${id}?${device}&dt_format=iso` })
    expect(one.json).toMatchObject({ id, geom: 'POINT(3 4)', fields: { since: '1048-01-01' } })
    const changed = { fields: { name: 'Kristiania', since: '1624-01-01' } }
    expect(await send('PUT', `${path}${id}?${device}&dt_format=iso`, changed)).toMatchObject({ json: { id } })
    expect(await names()).toEqual(['Kristiania'])
    expect(await request({ method: 'DELETE', path: `${path}${id}?${device}` })).toMatchObject({ status: 200 })
    expect((await request({ method: 'GET', path: `${path}${id}` })).status).toBe(404)
  })

  test('attaches a photo sent as a form, describes it and removes it', async () => {
    const [id = 0] = await fill('Oslo')
    const form = new FormData()
    form.append('file', new Blob(['a photo'], { type: 'image/jpeg' }), 'photo.jpg')
    form.append('name', 'photo.jpg')
    const sent = await server.admin('POST', '/api/component/file_upload/upload', form)
    const { upload_meta: metas } = await sent.json<{ upload_meta: object[] }>()
    const meta = metas[0] as { id: string; size: number; name: string; mime_type: string }
    const attachment = `${path}${id}/attachment/`
    const added = await send('POST', `${attachment}?${device}`, {
      name: meta.name,
      size: meta.size,
      mime_type: meta.mime_type,
      description: '',
      file_upload: meta,
    })
    const { id: aid } = added.json as { id: number }
    // The application crashes if the member is missing: it expects a string.
    expect(await attachmentsOf(id)).toEqual([
      expect.objectContaining({ id: aid, name: 'photo.jpg', mime_type: 'image/jpeg', description: '' }),
    ])
    const named = { name: 'front.jpg', description: 'the front' }
    expect(await send('PUT', `${attachment}${aid}?${device}`, named)).toMatchObject({ status: 200 })
    expect(await attachmentsOf(id)).toMatchObject([named])
    const got = await request({ method: 'GET', path: `${attachment}${aid}/download` })
    expect(got.text).toBe('a photo')
    expect((await request({ method: 'DELETE', path: `${attachment}${aid}?${device}` })).status).toBe(200)
    expect(await attachmentsOf(id)).toBeNull()
  })

  test('downloads a layer as GeoJSON', async () => {
    await fill('Oslo', 'Wien')
    const { json: collection } = await request({ method: 'GET', path: `/api/resource/${layer}/geojson` })
    expect(collection).toMatchObject({
      type: 'FeatureCollection',
      features: [{ type: 'Feature' }, { type: 'Feature' }],
    })
  })
})

test('a QGIS style is returned unchanged', async () => {
  const qml = '<!DOCTYPE qgis><qgis version="3.34"><renderer-v2 type="nullSymbol"/></qgis>'
  const upload = { method: 'PUT', path: '/api/component/file_upload/upload', body: qml }
  const { json: file_upload } = await sendRawRequest(server.url, upload)
  const style = await createResource(server.admin, {
    cls: 'qgis_vector_style',
    parent: layer,
    name: 'Style',
    members: { qgis_vector_style: { file_upload } },
  })
  const { text } = await request({ method: 'GET', path: `/api/resource/${style}/qml` })
  expect(text).toBe(qml)
})
