import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { bytesOf } from '../../../src/core/bytes.ts'
import type { GdalFormatName } from '../../../src/gdal/export/export_job.ts'
import { findField, follow } from '../../../src/gdal/flatgeobuf/flatbuffer.ts'
import { endIdleChildren } from '../../../src/gdal/runner/gdal_child.ts'
import { createLayerOf, proj, readExport } from '../../support/exports.ts'
import { createTestLayer } from '../../support/layers.ts'
import { adminPassword, describeServer, type TestServer } from '../../support/server.ts'
import { findGdalChildren } from '../../support/vector.ts'

let made = 0

const text = 'Zürich "1" <&>\n\\ Москва'
const values = {
  i: 7,
  b: '900719925474099',
  r: 0.1 + 0.2,
  s: text,
  d: '2020-01-02',
  t: '03:04:05',
  m: '2020-01-02T03:04:05',
}

/** A layer with a field of every type and three features, of which the last is without geometry and values. */
async function createSample(server: TestServer): Promise<number> {
  made += 1
  const id = await createLayerOf(server, `made ${made}`, [
    { geom: 'POINT (8.5 47.25)', fields: values },
    { geom: 'POINT(-120 -30)', fields: { i: -7, s: '' } },
    {},
  ])
  await server.admin('DELETE', `/api/resource/${id}/feature/`, [{ id: 1 }])
  await server.admin('PATCH', `/api/resource/${id}/feature/?dt_format=iso&srs=4326`, [
    { geom: 'POINT (8.5 47.25)', fields: values },
  ])
  return id
}

const types = { nr: 'integer', i: 'integer', b: 'integer64', r: 'real', s: 'string', d: 'date' } as const

/** Formats that cannot hold the whole sample, which have tests of their own. */
type PartialFormat = 'KMZ' | 'DXF' | 'GPX' | 'XLSX'

/** What becomes of a sample in each format: the types that are not those of the layer, and the place of the last feature. */
const expected = {
  GPKG: { types: { ...types, t: 'string', m: 'dateTime' }, x: 946215.671743, srs: proj[3857] },
  'ESRI Shapefile': { types: { ...types, t: 'string', m: 'string' }, x: 946215.671743, srs: proj[3857] },
  FlatGeobuf: {
    types: { ...types, d: 'dateTime', t: 'string', m: 'dateTime' },
    x: 946215.671743,
    srs: proj[3857],
  },
  KML: { types: { ...types, b: 'real', d: 'string', t: 'string', m: 'string' }, x: 8.5, srs: proj[4326] },
  GML: { types: { ...types, t: 'time', m: 'dateTime' }, x: 946215.671743, srs: proj[3857] },
  'MapInfo File': { types: { ...types, b: 'real', t: 'time', m: 'dateTime' }, x: 946215.67, srs: proj[3857] },
} as const satisfies Record<Exclude<GdalFormatName, PartialFormat>, object>

const xOf = (wkt: string | null | undefined) => Number(/\(([-\d.]+)/.exec(wkt ?? '')?.[1])

describeServer('exports of GDAL formats', (start) => {
  test.each(Object.keys(expected) as (keyof typeof expected)[])(
    '%s preserves reference system, types, coordinates and values',
    async (format) => {
      const server = await start()
      const id = await createSample(server)
      const { layers } = await readExport(server.admin, id, `format=${format}&zipped=false&fid=nr`)
      const [{ srs = '', fields = [], features = [] } = {}] = layers
      expect(srs).toBe(expected[format].srs)
      expect(Object.fromEntries(fields.map(({ name, type }) => [name, type]))).toMatchObject(
        expected[format].types,
      )
      expect(features.map((feature) => feature.values.nr)).toEqual([2, 3, 4])
      const last = features.at(-1)
      expect(xOf(last?.wkt)).toBeCloseTo(expected[format].x, 6)
      expect(last?.values).toMatchObject({ i: 7, b: 900719925474099, s: text })
      expect(last?.values.r).toBeCloseTo(0.3, 15)
      expect(String(last?.values.d).replaceAll(/\D+0?/g, ' ')).toBe('2020 1 2')
      expect(
        String(last?.values.t)
          .replaceAll(/^0|\D+0?/g, ' ')
          .trim(),
      ).toBe('3 4 5')
      expect(features[1]?.wkt).toBeNull()
    },
  )

  test('GPKG preserves feature ids and the layer name, and avoids name conflicts with fields', async () => {
    const server = await start()
    const fields = { FID: 'INTEGER', geom: 'STRING', id: 'STRING' } as const
    const id = await createTestLayer(server.database, { name: 'Names, "x"', geometryType: 'POINT', fields })
    const path = `/api/resource/${id}/feature/`
    for (const nth of [1, 2, 3])
      await server.admin('POST', path, { geom: 'POINT(1 2)', fields: { FID: 9 * nth, geom: 'g', id: 'i' } })
    await server.admin('DELETE', path, [{ id: 2 }])
    const { layers } = await readExport(server.admin, id, 'format=GPKG')
    expect(layers[0]?.name).toBe('Names, "x"')
    expect(layers[0]?.features).toEqual([
      { id: 1, wkt: 'POINT (1 2)', values: { FID: 9, geom: 'g', id: 'i' } },
      { id: 3, wkt: 'POINT (1 2)', values: { FID: 27, geom: 'g', id: 'i' } },
    ])
  })

  test.each([
    ['POINTZ', 'POINT Z (1 2 3)', 'POINT (1 2 3)'],
    ['MULTIPOINT', 'MULTIPOINT(1 2,3 4)', 'MULTIPOINT (1 2,3 4)'],
    ['LINESTRING', 'LINESTRING(1 2,3 4)', 'LINESTRING (1 2,3 4)'],
    [
      'MULTILINESTRINGZ',
      'MULTILINESTRING Z((1 2 3,4 5 6),(7 8 9,1 1 1))',
      'MULTILINESTRING ((1 2 3,4 5 6),(7 8 9,1 1 1))',
    ],
    [
      'POLYGON',
      'POLYGON((0 0,9 0,9 9,0 0),(2 1,3 1,3 2,2 1))',
      'POLYGON ((0 0,9 0,9 9,0 0),(2 1,3 1,3 2,2 1))',
    ],
    [
      'MULTIPOLYGONZ',
      'MULTIPOLYGON Z(((0 0 1,9 0 2,9 9 3,0 0 1),(2 1 4,3 1 5,3 2 6,2 1 4)),((20 0 1,29 0 1,29 9 1,20 0 1)))',
      'MULTIPOLYGON (((0 0 1,9 0 2,9 9 3,0 0 1),(2 1 4,3 1 5,3 2 6,2 1 4)),((20 0 1,29 0 1,29 9 1,20 0 1)))',
    ],
  ] as const)('keeps %s whole', async (geometryType, given, kept) => {
    const server = await start()
    made += 1
    const id = await createTestLayer(server.database, { name: `shape ${made}`, geometryType })
    await server.admin('POST', `/api/resource/${id}/feature/`, { geom: given })
    for (const format of ['GPKG', 'FlatGeobuf']) {
      const { layers } = await readExport(server.admin, id, `format=${format}&zipped=false`)
      expect(layers[0]?.features.map(({ wkt }) => wkt)).toEqual([kept])
    }
  })

  test('FlatGeobuf has a spatial index if every feature has a geometry', async () => {
    const server = await start()
    made += 1
    const id = await createTestLayer(server.database, { name: `index ${made}`, geometryType: 'POINT' })
    await server.admin('POST', `/api/resource/${id}/feature/`, { geom: 'POINT(1 2)' })
    const path = `/api/resource/${id}/export?format=FlatGeobuf&zipped=false`
    const nodeSize = async () => {
      const bytes = Buffer.from(await (await server.admin('GET', path)).arrayBuffer())
      const data = bytesOf(bytes)
      const at = findField(data, follow(data, 12), 9)
      return at === 0 ? 16 : data.view.getUint16(at, true)
    }
    expect(await nodeSize()).toBe(16)
    await server.admin('POST', `/api/resource/${id}/feature/`, {})
    expect(await nodeSize()).toBe(0)
    const { layers } = await readExport(server.admin, id, 'format=FlatGeobuf')
    expect(layers[0]?.features.map(({ wkt }) => wkt)).toEqual(['POINT (1 2)', null])
  })

  test('KMZ contains the same KML', async () => {
    const server = await start()
    const id = await createSample(server)
    const { layers } = await readExport(server.admin, id, 'format=KMZ&zipped=false')
    expect(layers[0]?.features.map(({ wkt }) => xOf(wkt).toFixed(6))).toEqual([
      '-120.000000',
      'NaN',
      '8.500000',
    ])
  })

  test('DXF has the geometries, and GPX waypoints or tracks, of features with a geometry', async () => {
    const server = await start()
    const id = await createSample(server)
    const dxf = await readExport(server.admin, id, 'format=DXF&zipped=false&srs=4326')
    expect(dxf.layers[0]?.features.map(({ wkt }) => xOf(wkt).toFixed(6))).toEqual(['-120.000000', '8.500000'])
    const gpx = await readExport(server.admin, id, 'format=GPX&zipped=false')
    expect(gpx.layers[0]?.name).toBe('waypoints')
    expect(gpx.layers[0]?.features.map(({ wkt }) => xOf(wkt).toFixed(6))).toEqual(['-120.000000', '8.500000'])
    expect(gpx.layers[0]?.features[1]?.values).toMatchObject({
      ogr_i: 7,
      ogr_s: expect.stringContaining('Москва'),
    })
    const lines = await createTestLayer(server.database, { name: `t ${made++}`, geometryType: 'LINESTRING' })
    await server.admin('POST', `/api/resource/${lines}/feature/?srs=4326`, { geom: 'LINESTRING(1 2,3 4)' })
    const tracks = await readExport(server.admin, lines, 'format=GPX&zipped=false')
    expect(tracks.layers.map(({ name }) => name)).toContain('tracks')
    const areas = await createTestLayer(server.database, { name: `a ${made++}`, geometryType: 'POLYGON' })
    const refused = await server.admin('GET', `/api/resource/${areas}/export?format=GPX`)
    expect(refused.status).toBe(422)
    expect((await refused.json<{ message: string }>()).message).toContain('POLYGON')
  })

  test('XLSX has the geometry as WKT next to the values', async () => {
    const server = await start()
    const id = await createSample(server)
    const { layers } = await readExport(server.admin, id, 'format=XLSX&zipped=false')
    expect(layers[0]?.fields[0]).toEqual({ name: 'GEOM', type: 'string' })
    const last = layers[0]?.features[2]?.values
    expect(last).toMatchObject({ i: 7, b: 900719925474099, s: text, d: '2020 1 2', m: '2020 1 2 3 4 5' })
    expect(xOf(String(last?.GEOM))).toBeCloseTo(8.5, 9)
  })

  test.each(['GEOM', 'geom', 'Geom'])('XLSX and CSV keep a field %s next to the geometry', async (name) => {
    const server = await start()
    made += 1
    const fields = { [name]: 'INTEGER' } as const
    const id = await createTestLayer(server.database, { name: `own ${made}`, geometryType: 'POINT', fields })
    await server.admin('POST', `/api/resource/${id}/feature/?srs=4326`, {
      geom: 'POINT(1 2)',
      fields: { [name]: 7 },
    })
    const { layers } = await readExport(server.admin, id, 'format=XLSX&zipped=false')
    expect(layers[0]?.fields.map((field) => field.name)).toEqual(['GEOM_1', name])
    expect(layers[0]?.features[0]?.values[name]).toBe(7)
    const table = await server.admin('GET', `/api/resource/${id}/export?format=CSV&zipped=false`)
    const [header, row] = (await table.text()).replace('\ufeff', '').split('\n')
    expect(header).toBe(`GEOM_1,${name}`)
    expect(row).toMatch(/^"POINT\([\d. ]+\)",7$/)
  })

  test('Shapefile and MapInfo support CP1251, with question marks for unsupported characters', async () => {
    const server = await start()
    made += 1
    const fields = { s: 'STRING' } as const
    const id = await createTestLayer(server.database, { name: `code ${made}`, geometryType: 'POINT', fields })
    await server.admin('POST', `/api/resource/${id}/feature/`, {
      geom: 'POINT(1 2)',
      fields: { s: 'Москва, 東京 🚀 «x» ü' },
    })
    for (const format of ['ESRI Shapefile', 'MapInfo File']) {
      const { layers } = await readExport(server.admin, id, `format=${format}&encoding=CP1251`)
      expect(layers[0]?.features[0]?.values).toEqual({ s: 'Москва, ?? ? «x» ?' })
    }
  })

  test('MapInfo supports latitudes beyond 80 degrees, and small extents exactly', async () => {
    const server = await start()
    const far = await createLayerOf(server, 'far', [
      { geom: 'POINT(-179 -89.999)' },
      { geom: 'POINT(8.5 84)' },
    ])
    const near = await createLayerOf(server, 'near', [{ geom: 'POINT(8.5 84)' }])
    const read = async (id: number) => {
      const { layers } = await readExport(server.admin, id, 'format=MapInfo File')
      return layers[0]?.features.map(({ wkt }) => (wkt ?? '').match(/-?[\d.]+/g)?.map(Number))
    }
    const place = [expect.closeTo(946_215.67, 1), expect.closeTo(18_807_214.1, 1)]
    expect(await read(far)).toEqual([
      [expect.closeTo(-19_926_188.85, 1), expect.closeTo(-74_299_743.4, 1)],
      place,
    ])
    expect(await read(near)).toEqual([
      [expect.closeTo(946_215.671743, 5), expect.closeTo(18_807_214.096748, 5)],
    ])
  })

  test('leaves no files or processes behind', async () => {
    const server = await start()
    const id = await createSample(server)
    await endIdleChildren()
    const left = async () =>
      (await readdir(server.dataFolder, { recursive: true })).filter((name) => name.includes('export-'))
    await readExport(server.admin, id, 'format=GPKG')
    expect(await left()).toEqual([])
    expect(findGdalChildren()).toEqual([])
  })

  test('is aborted when the client disconnects', async () => {
    const server = await start()
    const id = await createSample(server)
    await endIdleChildren()
    const client = new AbortController()
    const token = Buffer.from(`administrator:${adminPassword}`).toString('base64')
    const asking = fetch(`${server.url}/api/resource/${id}/export?format=GPKG`, {
      headers: { authorization: `Basic ${token}` },
      signal: client.signal,
    })
    await expect.poll(() => findGdalChildren().length, { interval: 5 }).toBe(1)
    client.abort()
    await expect(asking).rejects.toThrow()
    await expect.poll(() => findGdalChildren()).toEqual([])
    const left = async () =>
      (await readdir(server.dataFolder, { recursive: true })).filter((name) => name.includes('export-'))
    await expect.poll(left).toEqual([])
  })

  test('a position outside the reference system has its own error instead of that of GDAL', async () => {
    const server = await start()
    made += 1
    const id = await createTestLayer(server.database, {
      name: `pole ${made}`,
      geometryType: 'POINT',
      srs: 4326,
    })
    await server.admin('POST', `/api/resource/${id}/feature/`, { geom: 'POINT(0 91)' })
    for (const format of ['GPKG', 'GeoJSON', 'CSV']) {
      const answer = await server.admin('GET', `/api/resource/${id}/export?format=${format}&srs=3857`)
      expect(answer.status).toBe(422)
      expect(await answer.json<object>()).toMatchObject({ code: 'feature/invalid' })
    }
    for (const format of ['KML', 'GPX']) {
      const answer = await server.admin('GET', `/api/resource/${id}/export?format=${format}`)
      expect([answer.status, await answer.json<object>()]).toEqual([
        422,
        expect.objectContaining({
          message: `A feature is at latitude 91, and ${format} only supports -90 to 90.`,
          hint: expect.stringContaining('GeoJSON'),
        }),
      ])
    }
  })
})
