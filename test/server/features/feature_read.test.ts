import { expect, test } from 'vitest'
import { createTestLayer, everyDatatype } from '../../support/layers.ts'
import { type Ask, describeServers, type TestServer } from '../../support/server.ts'

interface Feature {
  readonly id: number
  readonly geom?: unknown
  readonly fields: Record<string, unknown>
  readonly extensions: Record<string, unknown>
}

/** A layer with a field of every type and three features; the third has nothing but its id. */
async function createSample(server: TestServer, name: string): Promise<string> {
  const id = await createTestLayer(server.database, { name, geometryType: 'POINT', fields: everyDatatype })
  const path = `/api/resource/${id}/feature/`
  const answer = await server.admin('PATCH', `${path}?dt_format=iso`, [
    {
      geom: 'POINT (1.5 -2)',
      fields: {
        i: 7,
        b: '9007199254740993',
        r: 0.1 + 0.2,
        s: 'Zürich "1"\n\\',
        d: '2020-01-02',
        t: '03:04:05',
        m: '2020-01-02T03:04:05',
      },
    },
    {
      geom: 'POINT(10000000 5000000.123456789)',
      fields: { i: -7, b: 12, r: 1e300, s: '', d: '1999-12-31' },
    },
    {},
  ])
  expect(answer.status).toBe(200)
  return path
}

const list = async (ask: Ask, path: string) => {
  const answer = await ask('GET', path)
  expect(answer.status, await answer.clone().text()).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/json')
  return answer.json<Feature[]>()
}

describeServers('reading features', (start) => {
  test('returns geometries as WKT, dates as objects and large numbers as strings', async () => {
    const server = await start()
    const path = await createSample(server, 'plain')
    const features = await list(server.admin, path)
    expect(features).toEqual([
      {
        id: 1,
        geom: 'POINT(1.5 -2)',
        fields: {
          i: 7,
          b: '9007199254740993',
          r: 0.1 + 0.2,
          s: 'Zürich "1"\n\\',
          d: { year: 2020, month: 1, day: 2 },
          t: { hour: 3, minute: 4, second: 5 },
          m: { year: 2020, month: 1, day: 2, hour: 3, minute: 4, second: 5 },
        },
        extensions: { description: null, attachment: null },
      },
      {
        id: 2,
        geom: 'POINT(10000000 5000000.123456789)',
        fields: { i: -7, b: 12, r: 1e300, s: '', d: { year: 1999, month: 12, day: 31 }, t: null, m: null },
        extensions: { description: null, attachment: null },
      },
      {
        id: 3,
        geom: null,
        fields: { i: null, b: null, r: null, s: null, d: null, t: null, m: null },
        extensions: { description: null, attachment: null },
      },
    ])
    expect(await list(server.admin, `${path}?id=1`)).toEqual(features.slice(0, 1))
    const one = await server.admin('GET', `${path}1/?dt_format=obj`)
    expect(await one.json()).toEqual(features[0])
  })

  test('returns the selected parts and formats', async () => {
    const server = await start()
    const path = await createSample(server, 'forms')
    const query = 'dt_format=iso&geom_format=geojson&fields=m,d,t&extensions=attachments&limit=1'
    expect(await list(server.admin, `${path}?${query}`)).toEqual([
      {
        id: 1,
        geom: { type: 'Point', coordinates: [1.5, -2] },
        fields: { d: '2020-01-02', t: '03:04:05', m: '2020-01-02T03:04:05' },
        extensions: { attachment: null },
      },
    ])
    expect(await list(server.admin, `${path}?geom=no&fields=&extensions=&offset=2`)).toEqual([
      { id: 3, fields: {}, extensions: {} },
    ])
  })

  test.each([
    ['fields', 'nope', 'fields=m,nope'],
    ['extensions', 'xx', 'extensions=description,xx'],
  ])('refuses unknown %s by name: %s', async (_, name, query) => {
    const server = await start()
    const path = await createSample(server, `without ${name}`)
    for (const address of [`${path}?${query}`, `${path}1?${query}`]) {
      const refused = await server.admin('GET', address)
      expect(refused.status).toBe(422)
      expect((await refused.json<{ message: string }>()).message).toContain(`"${name}"`)
    }
  })

  test('reprojects', async () => {
    const server = await start()
    const path = await createSample(server, 'reprojected')
    const [feature] = await list(server.admin, `${path}?srs=4326&geom_format=geojson&id=2`)
    expect(feature?.geom).toEqual({
      type: 'Point',
      coordinates: [expect.closeTo(89.8315284, 6), expect.closeTo(40.9162753, 5)],
    })
    expect((await server.admin('GET', `${path}?srs=999999999999`)).status).toBe(422)
    const unknown = await server.admin('GET', `${path}?srs=999998`)
    expect(unknown.status).toBe(422)
    expect((await unknown.json<{ message: string }>()).message).toContain('EPSG:999998')
  })

  test('sorts by fields in both directions, by id last, and pages without gaps', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, {
      name: 'ordered',
      geometryType: 'POINT',
      fields: { 'a-b': 'INTEGER' },
    })
    const path = `/api/resource/${id}/feature/`
    await server.admin(
      'PATCH',
      path,
      Array.from({ length: 10 }, (_, at) => ({ fields: { 'a-b': at % 3 } })),
    )
    const ids = async (query: string) => (await list(server.admin, path + query)).map((feature) => feature.id)
    expect(await ids('?order_by=-a-b')).toEqual([3, 6, 9, 2, 5, 8, 1, 4, 7, 10])
    expect(await ids('?order_by=a-b,-id')).toEqual([10, 7, 4, 1, 8, 5, 2, 9, 6, 3])
    expect(await ids('?order_by=+id&limit=2&offset=3')).toEqual([4, 5])
    const pages = [
      await ids('?order_by=a-b&limit=4'),
      await ids('?order_by=a-b&limit=4&offset=4'),
      await ids('?order_by=a-b&limit=4&offset=8'),
    ]
    expect(pages.flat()).toEqual(await ids('?order_by=a-b'))
    expect(await ids('?limit=0')).toEqual([])
    const refused = await server.admin('GET', `${path}?order_by=ab`)
    expect(refused.status).toBe(422)
    expect((await refused.json<{ message: string }>()).message).toContain('"ab"')
  })

  test('pages without gaps while features are deleted', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, { name: 'turned', geometryType: 'POINT' })
    const path = `/api/resource/${id}/feature/`
    await server.admin('PATCH', path, Array(6000).fill({}))
    const turn = async (offset: number) => {
      const page = await list(server.admin, `${path}?limit=2&offset=${offset}&fields=&extensions=`)
      return page.map((feature) => feature.id)
    }
    for (const offset of [3000, 3000, 5000, 5999, 5000, 9000])
      expect(await turn(offset)).toEqual([offset + 1, offset + 2].filter((one) => one <= 6000))
    await server.admin('DELETE', path, [{ id: 1 }, { id: 4000 }])
    expect([await turn(3000), await turn(5000), await turn(5001)]).toEqual([
      [3002, 3003],
      [5003, 5004],
      [5004, 5005],
    ])
  })

  test('returns coordinates that round-trip exactly', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, { name: 'exact', geometryType: 'LINESTRINGZ' })
    const path = `/api/resource/${id}/feature/`
    const numbers = [1e-12, 1.2345678901234568e-5, 4187572.0768650486, 1e15 + 0.125, 1.1e20, -0.1]
    const positions = numbers.map((x, at) => [x, numbers.at(-at - 1) ?? 0, x / 3])
    const geom = { type: 'LineString', coordinates: positions }
    await server.admin('POST', `${path}?geom_format=geojson`, { geom })
    const [feature] = await list(server.admin, `${path}?geom_format=geojson`)
    expect(feature?.geom).toEqual(geom)
    const [text] = await list(server.admin, path)
    const found = String(text?.geom).match(/-?[\d.]+(e[+-]?\d+)?/g)
    expect(found?.map(Number)).toEqual(positions.flat())
    expect(text?.geom).toMatch(/^LINESTRING Z \(/)
  })

  test('a layer with many fields is listed like one with few', async () => {
    const server = await start()
    const fields = Object.fromEntries(Array.from({ length: 250 }, (_, at) => [`f${at}`, 'DATETIME' as const]))
    const id = await createTestLayer(server.database, { name: 'wide', geometryType: 'POINT', fields })
    const path = `/api/resource/${id}/feature/`
    await server.admin('POST', path, { fields: { f249: '2000-01-01T00:00:00' } })
    const [feature] = await list(server.admin, `${path}?dt_format=iso`)
    expect(Object.keys(feature?.fields ?? {})).toHaveLength(250)
    expect(feature?.fields.f249).toBe('2000-01-01T00:00:00')
  })

  test('a missing feature and a resource without features are 404', async () => {
    const server = await start()
    const path = await createSample(server, 'absent')
    for (const fid of ['4', '0', '99999999999', '9'.repeat(40)]) {
      const answer = await server.admin('GET', `${path}${fid}`)
      expect(answer.status).toBe(404)
      const shown = fid.length > 15 ? 'that id' : `id = ${fid}`
      expect(await answer.json()).toMatchObject({
        exception: expect.stringContaining('FeatureNotFound'),
        message: expect.stringContaining(`Feature with ${shown} was not found`),
      })
    }
    expect((await server.guest('GET', path)).status).toBe(403)
    for (const part of ['feature/', 'feature/1', 'feature_count', 'feature_extent', 'extent', 'geojson']) {
      const answer = await server.admin('GET', `/api/resource/0/${part}`)
      expect([answer.status, await answer.json()], part).toEqual([
        404,
        expect.objectContaining({
          message: 'Resource with id = 0 is a "Resource group", which has no "data".',
          exception: expect.stringContaining('ResourceNotFound'),
        }),
      ])
      expect((await server.guest('GET', `/api/resource/0/${part}`)).status).toBe(403)
    }
  })

  test('counts features and returns extents in degrees', async () => {
    const server = await start()
    const path = await createSample(server, 'extents')
    const resource = path.replace(/feature\/$/, '')
    expect(await (await server.admin('GET', `${resource}feature_count`)).json()).toEqual({ total_count: 3 })
    const { extent } = await (await server.admin('GET', `${resource}extent`)).json<{
      extent: Record<string, number>
    }>()
    expect(extent.minLon).toBeCloseTo(0.0000134747, 9)
    expect(extent.minLat).toBeCloseTo(-0.0000179663, 9)
    expect(extent.maxLon).toBeCloseTo(89.8315284, 6)
    expect(extent.maxLat).toBeCloseTo(40.9162753, 5)
    const one = await (await server.admin('GET', `${path}1/extent`)).json<{
      extent: Record<string, number>
    }>()
    expect(one.extent.maxLon).toBe(extent.minLon)
    expect(await (await server.admin('GET', `${path}3/extent`)).json()).toEqual({ extent: null })
    expect((await server.admin('GET', `${path}9/extent`)).status).toBe(404)
    const empty = await createTestLayer(server.database, { name: 'empty', geometryType: 'POINT' })
    expect(await (await server.admin('GET', `/api/resource/${empty}/extent`)).json()).toEqual({
      extent: { minLat: null, maxLat: null, minLon: null, maxLon: null },
    })
    expect(await list(server.admin, `/api/resource/${empty}/feature/`)).toEqual([])
  })

  test('counts matching features, and returns their extent', async () => {
    const server = await start()
    const path = await createSample(server, 'filtered counts')
    const resource = path.replace(/feature\/$/, '')
    const get = async (part: string) => (await server.admin('GET', resource + part)).json<object>()
    const query = 'fld_i__gt=0'
    expect(await get(`feature_count?${query}`)).toEqual({ total_count: 3, filtered_count: 1 })
    expect(await get('feature_count?bbox=-10,-10,10,10')).toEqual({ total_count: 3, filtered_count: 1 })
    expect(await get('feature_count?ilike=x')).toEqual({ total_count: 3, filtered_count: 0 })
    const { extent } = (await get('feature/1/extent')) as { extent: object }
    expect(await get(`feature_extent?${query}`)).toEqual(extent)
    expect(await get(`extent?${query}`)).toEqual({ extent })
    expect(await get('feature_extent')).toEqual(((await get('extent')) as { extent: object }).extent)
    const nowhere = { minLat: null, maxLat: null, minLon: null, maxLon: null }
    expect(await get('feature_extent?fld_i__isnull=yes')).toEqual(nowhere)
    for (const part of ['feature_count', 'feature_extent', 'extent'])
      expect((await server.admin('GET', `${resource}${part}?fld_x=1`)).status).toBe(422)
  })

  test('returns the layer as a GeoJSON file, in its own reference system', async () => {
    const server = await start()
    const path = await createSample(server, 'geojson')
    const resource = path.replace(/feature\/$/, '')
    const answer = await server.admin('GET', `${resource}geojson`)
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="\d+\.geojson"$/)
    const file = await answer.json<Record<string, unknown> & { features: object[] }>()
    expect(file).toMatchObject({
      type: 'FeatureCollection',
      crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } },
    })
    expect(file.features).toHaveLength(3)
    expect(file.features[0]).toMatchObject({
      type: 'Feature',
      id: 1,
      geometry: { type: 'Point', coordinates: [1.5, -2] },
      properties: { i: 7, m: '2020-01-02T03:04:05' },
    })
    const degrees = await createTestLayer(server.database, {
      name: 'degrees',
      geometryType: 'POINT',
      srs: 4326,
    })
    const plain = await server.admin('GET', `/api/resource/${degrees}/geojson`)
    expect(await plain.json()).toEqual({ type: 'FeatureCollection', features: [] })
  })
})
