import { expect, test } from 'vitest'
import type { Datatype, GeometryType } from '../../../src/contract/geometry.ts'
import { createTestLayer, everyDatatype, publishLayer } from '../../support/layers.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

interface Feature {
  readonly id: number
  readonly geom: unknown
  readonly fields: Record<string, unknown>
}

let names = 0

async function createLayer(
  server: TestServer,
  geometryType: GeometryType,
  fields: Readonly<Record<string, Datatype>> = {},
) {
  names += 1
  const id = await createTestLayer(server.database, { name: `layer ${names}`, geometryType, fields })
  const path = `/api/resource/${id}/feature/`
  const { admin } = server
  return {
    id,
    path,
    list: async (query = '?extensions=') => (await admin('GET', path + query)).json<Feature[]>(),
    version: async () => {
      const rows = await server.database.query<{ version: number }>(
        'select data_version as version from layer where resource_id = $1::int',
        [id],
      )
      return rows[0]?.version
    },
    /** Sends a request that has to be refused, and gives the message. */
    refuse: async (method: string, at: string, body: unknown, status = 422) => {
      const answer = await admin(method, path + at, body)
      const { message } = await answer.json<{ message: string }>()
      expect(answer.status, message).toBe(status)
      return message
    },
  }
}

describeServers('writing features', (start) => {
  test('creates, changes and deletes features, each of which increments the data version', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', { a: 'INTEGER', b: 'STRING' })
    expect(await layer.version()).toBe(1)
    const created = await server.admin('POST', layer.path, {
      id: 99,
      geom: 'POINT (1 2)',
      fields: { a: 1, unknown: 5 },
      extensions: { description: null, attachment: [], type: 'Feature' },
    })
    expect(created.status).toBe(200)
    expect(await created.json()).toEqual({ id: 1 })
    const changed = await server.admin('PUT', `${layer.path}1`, { fields: { b: 'x' } })
    expect(await changed.json()).toEqual({ id: 1 })
    expect(await layer.list()).toEqual([
      { id: 1, geom: 'POINT(1 2)', fields: { a: 1, b: 'x' }, extensions: {} },
    ])
    await server.admin('PUT', `${layer.path}1/`, { geom: 'POINT(3 4)', fields: { a: null } })
    expect(await layer.list()).toMatchObject([{ geom: 'POINT(3 4)', fields: { a: null, b: 'x' } }])
    expect(await layer.version()).toBe(4)
    const deleted = await server.admin('DELETE', `${layer.path}1`)
    expect(await deleted.json()).toEqual({ id: 1 })
    expect(await layer.list()).toEqual([])
    expect(await layer.version()).toBe(5)
  })

  test('unknown members do not change the data', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', { a: 'INTEGER' })
    await server.admin('POST', layer.path, { geom: 'POINT(1 2)' })
    const before = await layer.version()
    const bodies = { unheard_of: 1, fields: { unheard_of: 1 }, extensions: { unheard_of: 1 } }
    for (const [method, path, body] of [
      ['PUT', `${layer.path}1`, bodies],
      ['PATCH', layer.path, [{ id: 1, ...bodies }]],
    ] as const) {
      expect((await server.admin(method, path, body)).status).toBe(200)
      expect(await layer.version(), method).toBe(before)
    }
    await server.admin('PATCH', layer.path, [
      { id: 1, ...bodies },
      { id: 1, fields: { a: 1 } },
    ])
    expect(await layer.version()).toBe((before ?? 0) + 1)
  })

  test('values that are stored already do not change the data', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINTZ', { a: 'INTEGER', b: 'STRING', c: 'REAL', d: 'DATETIME' })
    const body = { geom: 'POINT Z (1 2 3)', fields: { a: 1, b: 'x', c: 0.1, d: '2026-11-28T15:00:00' } }
    const iso = '?dt_format=iso'
    for (const one of [body, { ...body, fields: { b: null } }])
      expect((await server.admin('POST', layer.path + iso, one)).status).toBe(200)
    const before = (await layer.version()) ?? 0
    for (const [method, at, sent] of [
      ['PUT', `1${iso}`, body],
      ['PUT', `1${iso}`, { fields: body.fields }],
      ['PUT', '2', { fields: { a: null } }],
      [
        'PATCH',
        iso,
        [body, body].map((one, index) => ({ ...one, id: index + 1, fields: { b: ['x', null][index] } })),
      ],
    ] as const) {
      expect((await server.admin(method, layer.path + at, sent)).status).toBe(200)
      expect(await layer.version(), JSON.stringify(sent)).toBe(before)
    }
    expect((await server.admin('PUT', `${layer.path}3`, { fields: { a: 1 } })).status).toBe(404)
    await server.admin('PATCH', layer.path, [
      { id: 1, fields: { a: 1 } },
      { id: 2, geom: 'POINT Z (1 2 4)' },
    ])
    expect(await layer.version()).toBe(before + 1)
    const [change] = await server.database.query<{ boxes: number[] }>(
      'select to_json(boxes) as boxes from layer_change where layer_id = $1::int and version = $2::int',
      [layer.id, before + 1],
    )
    expect(change?.boxes.slice(0, 4)).toEqual([1, 2, 1, 2])
  })

  test('deleting all features of an empty layer, or none, does not change the data', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', { a: 'INTEGER' })
    const resource = `/api/resource/${layer.id}`
    const versions = async () => {
      const { resource: shown } = await (await server.admin('GET', resource)).json<{
        resource: { version: number }
      }>()
      return [await layer.version(), shown.version]
    }
    const [data = 0, version = 0] = await versions()
    for (let round = 0; round < 2; round += 1) {
      expect((await server.admin('DELETE', layer.path)).status).toBe(200)
      expect((await server.admin('DELETE', layer.path, [])).status).toBe(200)
      expect(await versions()).toEqual([data + 2 * round, version])
      // The layer has a table and had features in the second round.
      if (round > 0) break
      await server.admin('POST', layer.path, { fields: { a: 1 } })
      expect((await server.admin('DELETE', layer.path)).status).toBe(200)
      expect(await versions()).toEqual([data + 2, version])
    }
    const all = { vector_layer: { delete_all_features: true } }
    expect((await server.admin('PUT', resource, all)).status).toBe(200)
    expect(await versions()).toEqual([data + 2, version])
    // A precondition is checked nevertheless, and another value is a change.
    const stale = { vector_layer: { delete_all_features: true, if_data_version: data } }
    expect((await server.admin('PUT', resource, stale)).status).toBe(412)
    const typed = { vector_layer: { delete_all_features: true, geometry_type: 'MULTIPOINT' } }
    expect((await server.admin('PUT', resource, typed)).status).toBe(200)
    expect(await versions()).toEqual([data + 3, version + 1])
  })

  test('descriptions and attachments do not change the version of the data, and are recorded as a change', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', { a: 'INTEGER' })
    await server.admin('POST', layer.path, { geom: 'POINT(1 2)' })
    const before = await layer.version()
    const changes = () =>
      server.database.query('select from last_change where resource_id = $1::int', [layer.id])
    for (const [method, path, body] of [
      ['PUT', `${layer.path}1`, { extensions: { description: 'put' } }],
      ['PATCH', layer.path, [{ id: 1, extensions: { description: 'patched' } }]],
      ['PUT', `${layer.path}1`, { extensions: { attachment: [] }, fields: { unheard_of: 1 } }],
    ] as const) {
      await server.database.query('delete from last_change where resource_id = $1::int', [layer.id])
      expect((await server.admin(method, path, body)).status).toBe(200)
      expect(await layer.version(), method).toBe(before)
      expect(await changes(), method).toHaveLength(1)
    }
    expect(await layer.list('')).toMatchObject([{ extensions: { description: 'patched' } }])
    await server.admin('PATCH', layer.path, [
      { id: 1, extensions: { description: 'both' } },
      { id: 1, fields: { a: 1 } },
    ])
    expect(await layer.version()).toBe((before ?? 0) + 1)
  })

  test('a null geometry changes nothing without geom_null', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT')
    await server.admin('POST', layer.path, { geom: 'POINT(1 2)' })
    await server.admin('PUT', `${layer.path}1`, { geom: null })
    expect(await layer.list()).toMatchObject([{ geom: 'POINT(1 2)' }])
    await server.admin('PUT', `${layer.path}1?geom_null=true`, { geom: null })
    expect(await layer.list()).toMatchObject([{ geom: null }])
  })

  test('reprojects geometries from other reference systems', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT')
    await server.admin('POST', `${layer.path}?srs=4326`, { geom: 'POINT (90 45)' })
    await server.admin('PUT', `${layer.path}1?srs=4326&geom_format=geojson`, {
      geom: { type: 'Point', coordinates: [180, 0] },
    })
    const [feature] = await layer.list('?geom_format=geojson')
    expect(feature?.geom).toEqual({
      type: 'Point',
      coordinates: [expect.closeTo(20037508.3427892, 5), expect.closeTo(0, 5)],
    })
    expect(await layer.refuse('POST', '?srs=999998', { geom: 'POINT (1 1)' })).toContain('EPSG:999998')
    expect(await layer.refuse('POST', '', { geom: 'SRID=4326;POINT (1 1)' })).toContain('EPSG:4326')
    expect(await layer.refuse('POST', '?srs=4326', { geom: 'POINT (0 91)' })).toContain('invalid geometry')
  })

  test('promotes single geometries to multi, and refuses every other mismatch', async () => {
    const server = await start()
    const layer = await createLayer(server, 'MULTIPOLYGON')
    await server.admin('POST', layer.path, { geom: 'POLYGON((0 0,4 0,4 4))' })
    expect(await layer.list()).toMatchObject([{ geom: 'MULTIPOLYGON(((0 0,4 0,4 4,0 0)))' }])
    expect(await layer.refuse('POST', '', { geom: 'POINT(1 1)' })).toContain('POINT does not match')
    expect(await layer.refuse('POST', '', { geom: 'POLYGON Z ((0 0 1,4 0 1,4 4 1,0 0 1))' })).toContain(
      'POLYGONZ does not match',
    )
    expect(await layer.refuse('POST', '', { geom: 'POLYGON((0 0,1 1' })).toContain('invalid WKT')
    expect(await layer.refuse('POST', '', { geom: { type: 'Point' } })).toContain('geom_format=geojson')
    // A bow tie is stored as given.
    const tie = 'MULTIPOLYGON(((0 0,4 4,4 0,0 4,0 0)))'
    expect((await server.admin('POST', layer.path, { geom: tie })).status).toBe(200)
    expect((await layer.list()).at(-1)).toMatchObject({ geom: tie })
  })

  test('drops and adds Z on request', async () => {
    const server = await start()
    const flat = await createLayer(server, 'MULTIPOINT')
    const high = await createLayer(server, 'LINESTRINGZ')
    const point = { geom: 'POINT Z (1 2 3)' }
    const line = {
      geom: {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 2],
        ],
      },
    }
    expect(await flat.refuse('POST', '', point)).toContain('POINTZ does not match')
    const answer = await server.admin('POST', flat.path, point)
    expect(await answer.json<object>()).toMatchObject({ hint: expect.stringContaining('geom_fit_z=true') })
    await server.admin('POST', `${flat.path}?geom_fit_z=true`, point)
    expect(await flat.list()).toMatchObject([{ geom: 'MULTIPOINT((1 2))' }])
    await server.admin('PATCH', `${high.path}?geom_fit_z=true&geom_format=geojson`, [line])
    expect(await high.list()).toMatchObject([{ geom: 'LINESTRING Z (0 0 0,1 2 0)' }])
    // The family is not what was asked for.
    expect(await high.refuse('POST', '?geom_fit_z=true', { geom: 'POINT(1 1)' })).toContain('does not match')
  })

  test.each([
    [
      'INTEGER',
      [0, '12', 5.0, '-2147483648', 2147483647],
      [1.5, '1.5', 2147483648, 'x', true, '', Number.POSITIVE_INFINITY, {}],
    ],
    [
      'BIGINT',
      ['9223372036854775807', '-9223372036854775808', 12, 2 ** 60],
      ['9223372036854775808', 2 ** 64, 0.5],
    ],
    ['REAL', [0.1, '1e3', -7, 1e308, 2 ** 60], ['NaN', 'Infinity', '', 'x', true, []]],
    ['STRING', ['', 'x', '\u{1F30D}', '{"a":\\"'], [1, 2 ** 60, true, {}, 'a\0b', '\ud800']],
    [
      'DATE',
      ['2020-02-29', { year: 1, month: 1, day: 1, hour: 0 }],
      ['2021-02-29', '2020-1', 5, { year: 2020 }],
    ],
    ['TIME', ['23:59:59', '10:00:00.5', { hour: 0, minute: 0, second: 0, year: 1 }], ['24:00:00', '1:2:3']],
    [
      'DATETIME',
      ['2020-01-02T03:04:05', '2020-01-02 03:04', '2020-01-02T03:04:05.678Z'],
      ['2020-01-02T03:04:05 Z', '2020-13-01T00:00:00'],
    ],
  ] as const)('takes %s values and refuses others, naming the field', async (datatype, good, bad) => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', { value: datatype })
    for (const value of good) {
      const answer = await server.admin('POST', layer.path, { fields: { value } })
      expect(answer.status, JSON.stringify(value)).toBe(200)
    }
    for (const value of bad) {
      // 1e400 is text that JSON has and JavaScript has not.
      const body = `{"fields":{"value":${value === Number.POSITIVE_INFINITY ? '1e400' : JSON.stringify(value)}}}`
      expect(await layer.refuse('POST', '', body), body).toMatch(/field "value"|\$\.fields\.value/)
    }
    expect(await layer.list()).toHaveLength(good.length)
  })

  test('a feature can be written back as it was read', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', everyDatatype)
    const values = { i: -1, b: '-9223372036854775808', r: 5e-324, s: 'ñ', d: '0001-01-01', t: '00:00:00' }
    await server.admin('POST', layer.path, {
      geom: 'POINT(1 2)',
      fields: { ...values, m: '9999-12-31T23:59:59' },
    })
    for (const form of ['?dt_format=obj', '?dt_format=iso']) {
      const [feature] = await layer.list(form)
      expect((await server.admin('POST', layer.path + form, feature)).status).toBe(200)
    }
    const [one, two, three] = await layer.list()
    expect(two).toEqual({ ...one, id: 2 })
    expect(three).toEqual({ ...one, id: 3 })
  })

  test('deletes a list atomically, and all features without a body', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT')
    await server.admin('PATCH', layer.path, Array(6).fill({ geom: 'POINT(0 0)' }))
    expect(await layer.refuse('DELETE', '', [{ id: 1 }, { id: 77 }], 404)).toContain('77')
    expect(await layer.list()).toHaveLength(6)
    expect(await (await server.admin('DELETE', layer.path, [{ id: 4 }, { id: 2 }])).json()).toEqual([4, 2])
    expect(await (await server.admin('DELETE', layer.path, [])).json()).toEqual([])
    for (const body of [{}, [4], [{}], [{ id: '4' }], null])
      await layer.refuse('DELETE', '', JSON.stringify(body))
    // Blanks are no list, and not nothing either.
    for (const body of [' ', '\n']) await layer.refuse('DELETE', '', body, 400)
    expect((await layer.list()).map(({ id }) => id)).toEqual([1, 3, 5, 6])
    expect(await (await server.admin('DELETE', layer.path)).json()).toBe(true)
    expect(await layer.list()).toEqual([])
  })

  test('requires the permission to write data', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT')
    await publishLayer(server.database, layer.id)
    expect((await server.guest('GET', layer.path)).status).toBe(200)
    expect((await server.guest('POST', layer.path, {})).status).toBe(403)
    expect((await server.guest('PATCH', layer.path, [{}])).status).toBe(403)
    expect((await server.guest('DELETE', layer.path)).status).toBe(403)
    expect(await layer.version()).toBe(1)
  })

  test('concurrent writers of one layer wait for each other, and no change is lost', async () => {
    const server = await start()
    const layer = await createLayer(server, 'POINT', { n: 'INTEGER' })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => server.admin('POST', layer.path, { fields: { n } })),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(await layer.list()).toHaveLength(20)
    expect(await layer.version()).toBe(21)
  })
})
