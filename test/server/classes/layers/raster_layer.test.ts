import { beforeAll, expect, test } from 'vitest'
import { collectGarbage } from '../../../../src/server/garbage_collection.ts'
import { groupBody, openBatchClient } from '../../../support/batch.ts'
import { inspectRaster, makeRaster, type TestRaster } from '../../../support/raster.ts'
import { uploadContent } from '../../../support/samples.ts'
import { type Ask, describeServer, type TestServer } from '../../../support/server.ts'
import { allow, createLayer, createResource } from '../../../support/tree.ts'
import { createUser, userPassword } from '../../../support/users.ts'

interface WireRaster {
  readonly raster_layer: {
    readonly srs: { readonly id: number }
    readonly xsize: number
    readonly ysize: number
    readonly data_version: number
  }
}

interface WireError {
  readonly status: number
  readonly code: string
  readonly message: string
}

const place = { srs: 3857, geoTransform: [1e6, 10, 0, 6e6, 0, -10] }

/** The file of a picture of one colour. */
const plain = (color: number, more: TestRaster = {}) => makeRaster({ ...place, value: () => color, ...more })

describeServer('raster layers', (start) => {
  let server: TestServer
  let admin: Ask
  beforeAll(async () => {
    server = await start()
    admin = server.admin
  })

  const create = async (name: string, content: Uint8Array = plain(10), parent = 0) => {
    const source = await uploadContent(admin, content)
    return createResource(admin, { cls: 'raster_layer', parent, name, members: { raster_layer: { source } } })
  }
  const read = async (id: number, ask = admin) => (await ask('GET', `/api/resource/${id}`)).json<WireRaster>()
  const bytes = async (path: string, ask = admin) => Buffer.from(await (await ask('GET', path)).arrayBuffer())
  const colorOf = async (id: number) =>
    inspectRaster(await bytes(`/api/resource/${id}/cog`), (one) => one.pixel(5, 5))
  const put = async (id: number, body: object, ask = admin) => {
    const answer = await ask('PUT', `/api/resource/${id}`, body)
    return { ...(await answer.json<WireError>()), status: answer.status }
  }
  test('has no features, and reports it', async () => {
    const id = await create('Without features')
    for (const part of ['feature/', 'feature_count', 'geojson']) {
      const answer = await admin('GET', `/api/resource/${id}/${part}`)
      expect([answer.status, await answer.json()], part).toEqual([
        404,
        expect.objectContaining({
          code: 'resource/not-found',
          message: `Resource with id = ${id} is a "Raster layer", which has no features.`,
        }),
      ])
    }
  })

  const rowsOf = async (table: string) => (await server.database.query(`select from ${table}`)).length

  test('have size, bands, geotransform and reference system of the stored raster', async () => {
    const id = await create(
      'Shown',
      makeRaster({ width: 40, height: 30, ...place, geoTransform: [1e6, 10, 0, 6e6, 0, -20] }),
    )
    expect((await read(id)).raster_layer).toEqual({
      srs: { id: 3857 },
      xsize: 40,
      ysize: 30,
      band_count: 4,
      dtype: 'Byte',
      color_interpretation: ['Red', 'Green', 'Blue', 'Alpha'],
      geo_transform: [1e6, 10, 0, 6e6, 0, -20],
      statistics: null,
      data_version: 1,
    })
  })

  test('have an extent in degrees', async () => {
    const id = await create(
      'Extent',
      makeRaster({ width: 100, height: 50, geoTransform: [10, 0.01, 0, 46, 0, -0.01] }),
    )
    const { extent } = await (await admin('GET', `/api/resource/${id}/extent`)).json<{
      extent: Record<string, number>
    }>()
    expect(extent).toEqual({
      minLon: expect.closeTo(10, 1),
      maxLon: expect.closeTo(11, 1),
      minLat: expect.closeTo(45.5, 1),
      maxLat: expect.closeTo(46, 1),
    })
  })

  test('are downloaded as cloud optimized GeoTIFF, with ranges, HEAD and entity tags', async () => {
    const id = await create('Cog', plain(77, { width: 600, height: 600 }))
    const path = `/api/resource/${id}/cog`
    const whole = await admin('GET', path)
    expect(whole.headers.get('content-type')).toBe('image/tiff; application=geotiff; profile=cloud-optimized')
    expect(whole.headers.get('content-disposition')).toContain(`filename="${id}.tif"`)
    const content = Buffer.from(await whole.arrayBuffer())
    inspectRaster(content, ({ pixel, structure, overviews }) => {
      expect(pixel(300, 300)).toEqual([77, 77, 77, 255])
      expect(structure.LAYOUT).toBe('COG')
      expect(overviews).toEqual([300, 150])
    })
    const part = await admin('GET', path, undefined, { range: 'bytes=100-199' })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${content.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(content.subarray(100, 200))).toBe(true)
    const head = await admin('HEAD', path)
    expect([head.status, head.headers.get('content-length'), head.headers.get('accept-ranges')]).toEqual([
      200,
      String(content.length),
      'bytes',
    ])
    const etag = whole.headers.get('etag') ?? ''
    expect((await admin('GET', path, undefined, { 'if-none-match': etag })).status).toBe(304)
    expect((await admin('GET', path, undefined, { range: `bytes=${content.length}-` })).status).toBe(416)
  })

  test('return the original file under its name', async () => {
    const sent = makeRaster()
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(sent)]), 'Süd.tif')
    const { upload_meta } = await (await admin('POST', '/api/component/file_upload/', form)).json<{
      upload_meta: object[]
    }>()
    const members = { raster_layer: { source: upload_meta[0], srs: { id: 3857 } } }
    const id = await createResource(admin, { cls: 'raster_layer', name: 'Named', members })
    const answer = await admin('GET', `/api/resource/${id}/download`)
    expect(answer.headers.get('content-disposition')).toContain("filename*=utf-8''S%C3%BCd.tif")
    expect(answer.headers.get('content-type')).toBe('image/tiff')
    expect(Buffer.from(await answer.arrayBuffer()).equals(sent)).toBe(true)
  })

  test('are replaced in place: id, styles and name stay', async () => {
    const id = await create('Replaced')
    const style = await createResource(admin, { cls: 'raster_style', parent: id, name: 'Style' })
    const source = await uploadContent(admin, plain(200, { width: 64 }))
    expect(await put(id, { raster_layer: { source } })).toMatchObject({ status: 200 })
    expect((await read(id)).raster_layer).toMatchObject({ xsize: 64, ysize: 30, data_version: 2 })
    expect(await colorOf(id)).toEqual([200, 200, 200, 255])
    expect((await admin('GET', `/api/resource/${style}`)).status).toBe(200)
    await put(id, { resource: { display_name: 'Renamed' }, raster_layer: { srs: { id: 3857 } } })
    expect((await read(id)).raster_layer.data_version).toBe(2)
  })

  test('keep their raster when another one is refused', async () => {
    const id = await create('Kept', plain(33))
    const source = await uploadContent(admin, makeRaster({ bands: 2 }))
    expect(await put(id, { resource: { display_name: 'Not so' }, raster_layer: { source } })).toMatchObject({
      status: 422,
      code: 'source/bad-raster',
      message: expect.stringContaining('has 2 bands'),
    })
    expect(await colorOf(id)).toEqual([33, 33, 33, 255])
    expect((await read(id)).raster_layer.data_version).toBe(1)
    expect(await rowsOf('prepared_raster')).toBe(0)
  })

  test.each<[string, () => Promise<object>, number, string, RegExp]>([
    ['no source', async () => ({}), 422, 'request/invalid', /missing field "source"/],
    [
      'an upload that is not there',
      async () => ({ source: { id: 'f'.repeat(32) } }),
      422,
      'upload/not-found',
      /there is no upload/,
    ],
    [
      'a source without an id',
      async () => ({ source: {} }),
      422,
      'request/invalid',
      /expected the id of an upload/,
    ],
    [
      'another reference system',
      async () => ({ source: await uploadContent(admin, plain(1)), srs: { id: 4326 } }),
      422,
      'request/invalid',
      /stored in EPSG:3857, not EPSG:4326/,
    ],
    [
      'a source that was not prepared',
      async () => ({ source: { prepared: 'f'.repeat(32) } }),
      422,
      'source/not-prepared',
      /prepared source .* does not exist/,
    ],
    [
      'text',
      async () => ({ source: await uploadContent(admin, 'hello') }),
      422,
      'source/unreadable',
      /it is not a TIFF file/,
    ],
    [
      'no reference system',
      async () => ({ source: await uploadContent(admin, makeRaster({ srs: null })) }),
      422,
      'source/no-srs',
      /^the file has no reference system/,
    ],
  ])('cannot be created from %s, and nothing is left behind', async (_, make, status, code, message) => {
    const before = await rowsOf('resource')
    const resource = { cls: 'raster_layer', parent: { id: 0 }, display_name: 'Refused' }
    const answer = await admin('POST', '/api/resource/', { resource, raster_layer: await make() })
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ code, message: expect.stringMatching(message) })
    expect([await rowsOf('resource'), await rowsOf('prepared_raster')]).toEqual([before, 0])
  })

  test('have permissions for the structure, the raster, and its update', async () => {
    const user = await createUser(server.database, 'raster-reader')
    const ask = server.as('raster-reader', userPassword)
    const group = await createResource(admin, { cls: 'resource_group', name: 'Rights' })
    const id = await create('Guarded', plain(5), group)
    const rules = (...permissions: object[]) => put(group, { resource: { permissions } })
    const root = await (await admin('GET', '/api/resource/0')).json<{ resource: { permissions: object[] } }>()
    const reading = { ...allow(user, 'resource', 'read'), propagate: false }
    await put(0, { resource: { permissions: [...root.resource.permissions, reading] } })
    await rules(allow(user, 'resource', 'read'))
    expect((await read(id, ask)).raster_layer ?? {}).toEqual({})
    for (const name of ['cog', 'download', 'extent'])
      expect((await ask('GET', `/api/resource/${id}/${name}`)).status, name).toBe(403)
    await rules(
      allow(user, 'resource', 'read'),
      allow(user, 'datastruct', 'read'),
      allow(user, 'data', 'read'),
    )
    expect((await read(id, ask)).raster_layer.xsize).toBe(40)
    for (const name of ['cog', 'download', 'extent'])
      expect((await ask('GET', `/api/resource/${id}/${name}`)).status, name).toBe(200)
    const source = await uploadContent(admin, plain(6))
    expect(await put(id, { raster_layer: { source } }, ask)).toMatchObject({ status: 403 })
    await rules(allow(user, 'resource'), allow(user, 'data'))
    const own = await uploadContent(ask, plain(6))
    expect(await put(id, { raster_layer: { source: own } }, ask)).toMatchObject({ status: 200 })
    await put(0, { resource: { permissions: root.resource.permissions } })
  })

  test('are the only resources with cog and download', async () => {
    const id = await createLayer(admin, { name: 'No picture', geometryType: 'POINT' })
    for (const name of ['cog', 'download'])
      expect((await admin('GET', `/api/resource/${id}/${name}`)).status).toBe(404)
  })

  test('are created and replaced by a batch with prepared sources, each used once', async () => {
    const batch = openBatchClient(server)
    const prepare = async (content: Uint8Array, more: object = {}) => {
      const source = await uploadContent(admin, content)
      const body = { cls: 'raster_layer', raster_layer: { source }, ...more }
      const answer = await admin('POST', '/api/component/landform/prepared', body)
      expect(answer.status).toBe(200)
      return answer.json<{ id: string; raster: { xsize: number } }>()
    }
    const first = await prepare(plain(50))
    expect(first).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      raster: { xsize: 40, ysize: 30 },
    })
    const from = (prepared: string) => ({ raster_layer: { source: { prepared } } })
    const body = {
      resource: { cls: 'raster_layer', parent: { id: 'g' }, display_name: 'Batch' },
      ...from(first.id),
    }
    const style = { resource: { cls: 'raster_style', parent: { id: 'r' }, display_name: 'Batch style' } }
    const [, made] = await batch.run([
      { op: 'create', name: 'g', body: groupBody('Pictures') },
      { op: 'create', name: 'r', body },
      { op: 'create', body: style },
    ])
    const id = made?.id ?? 0
    expect(await colorOf(id)).toEqual([50, 50, 50, 255])
    const second = await prepare(plain(60), { id })
    expect(await put(id, from(first.id))).toMatchObject({ status: 422, code: 'source/not-prepared' })
    await batch.run([{ op: 'update', id, body: from(second.id) }])
    expect(await colorOf(id)).toEqual([60, 60, 60, 255])
    const third = await prepare(plain(70))
    expect(await put(id, from(third.id))).toMatchObject({
      message: expect.stringContaining('for a new layer'),
    })
    expect((await admin('DELETE', `/api/component/landform/prepared/${third.id}`)).status).toBe(200)
    expect(await rowsOf('prepared_raster')).toBe(0)
  })

  test('protect their files from garbage collection until they are deleted', async () => {
    const name = 'Swept'
    const id = await create(name, plain(123))
    const source = await uploadContent(admin, plain(124))
    await admin('POST', '/api/component/landform/prepared', { cls: 'raster_layer', raster_layer: { source } })
    const files = async () => {
      const digests: string[] = []
      for await (const { digest } of server.running.context.blobs.list()) digests.push(digest)
      return digests.sort()
    }
    const age = async (hours: number, ...tables: string[]) => {
      for (const table of tables)
        await server.database.query(
          `update ${table} set created_at = created_at - make_interval(hours => $1::int)`,
          [hours],
        )
      await collectGarbage(server.running.context, Date.now() + hours * 3_600_000)
    }
    const wanted = await server.database.query<{ digest: string }>(
      `select digest from raster_layer union select source_digest from raster_layer
       union select digest from prepared_raster union select source_digest from prepared_raster order by 1`,
    )
    await age(26, 'upload', 'blob')
    expect(await files()).toEqual(wanted.map(({ digest }) => digest))
    expect(await colorOf(id)).toEqual([123, 123, 123, 255])
    await age(26, 'prepared_raster', 'blob')
    for (const row of await server.database.query<{ id: number }>(
      `select id from resource where cls in ('raster_layer', 'raster_style') order by id desc`,
    ))
      await admin('DELETE', `/api/resource/${row.id}`)
    await age(26, 'blob')
    expect(await files()).toEqual([])
  })
})

describeServer(
  'raster layers of a server with little room',
  (start) => {
    test('are refused if their pixels need more than twice the upload limit', async () => {
      const { admin } = await start()
      const source = await uploadContent(
        admin,
        makeRaster({ width: 900, height: 900, options: ['COMPRESS=DEFLATE'], value: () => 1 }),
      )
      const resource = { cls: 'raster_layer', parent: { id: 0 }, display_name: 'Large' }
      const answer = await admin('POST', '/api/resource/', { resource, raster_layer: { source } })
      expect([answer.status, await answer.json()]).toEqual([
        422,
        expect.objectContaining({
          code: 'source/bad-raster',
          message: 'the raster has 900 × 900 pixels of 3 bytes, 2430000 bytes; the limit is 2000000',
        }),
      ])
    })
  },
  { uploadLimitBytes: 1_000_000 },
)
