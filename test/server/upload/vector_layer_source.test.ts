import { readFile } from 'node:fs/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/database.ts'
import { openTestDatabase } from '../../support/drivers.ts'
import { copies, makeGate } from '../../support/gate.ts'
import { listFeatureTables } from '../../support/import.ts'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { describeServers, startTestServer, type TestServer } from '../../support/server.ts'
import { geojson, point, polygon } from '../../support/vector.ts'
import { makeZip } from '../../support/zip.ts'

const worldAtlas = new URL('../../../node_modules/world-atlas/countries-50m.json', import.meta.url)
const mercator = { srs: { id: 3857 } }
const square = polygon([
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 0],
])

/** Points with a name and a rank each. */
function places(...names: string[]): string {
  return geojson(names.map((name, rank) => ({ geometry: point(rank, rank), properties: { name, rank } })))
}

describeServers('layers created from files', (start, driver) => {
  let server: TestServer
  let client: LayerClient
  let database: Database

  beforeAll(async () => {
    server = await start()
    client = openLayerClient(server)
    database = server.database
  })

  async function createFrom(content: string, options: object = {}): Promise<number> {
    const source = await client.upload('places.geojson', content)
    return client.create({ ...mercator, source, ...options })
  }

  test('all countries of a TopoJSON file are loaded, including Antarctica', async () => {
    const source = await client.upload('countries-50m.json', await readFile(worldAtlas))
    const refused = await client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'World' },
      vector_layer: { ...mercator, source },
    })
    expect(refused).toMatchObject({
      status: 422,
      code: 'source/layers',
      message: expect.stringContaining('countries, land'),
    })
    const id = await client.create({ ...mercator, source, source_layer: 'countries' })
    expect((await client.get(id)).vector_layer).toEqual({
      ...mercator,
      geometry_type: 'MULTIPOLYGON',
      data_version: 1,
      extensions_version: 0,
    })
    const names = (await client.features(id)).map(({ fields }) => fields.name)
    expect(names).toHaveLength(241)
    expect(names).toContain('Antarctica')
  })

  test('fields have types and display names', async () => {
    const id = await createFrom(geojson([{ geometry: point(1, 2), properties: { id: 5, Größe: 1.5 } }]))
    expect((await client.get(id)).feature_layer.fields).toEqual([
      {
        id: expect.any(Number),
        keyname: 'id_1',
        datatype: 'INTEGER',
        typemod: null,
        display_name: 'id',
        label_field: false,
        grid_visibility: true,
        text_search: true,
        lookup_table: null,
      },
      expect.objectContaining({ keyname: 'Größe', display_name: 'Größe', datatype: 'REAL' }),
    ])
  })

  test('fields may be declared in the request: flags, names, types, and additional ones', async () => {
    const source = await client.upload('places.geojson', places('A'))
    const fields = [
      { keyname: 'name', datatype: 'STRING', display_name: 'Name', label_field: true },
      { keyname: 'note', datatype: 'STRING' },
      { keyname: 'rank', datatype: 'STRING' },
    ]
    const id = await client.create({ ...mercator, source }, { feature_layer: { fields } })
    const layer = await client.get(id)
    expect(layer.vector_layer.data_version).toBe(1)
    expect(layer.feature_layer.fields).toMatchObject([
      { keyname: 'name', display_name: 'Name', label_field: true },
      { keyname: 'note' },
      { keyname: 'rank', datatype: 'STRING' },
    ])
    expect((await client.features(id))[0]?.fields).toEqual({ name: 'A', note: null, rank: '0' })
  })

  test('declared types apply while the file is read: bad rows are skipped, codes are kept', async () => {
    const rows = ['007,5,1,2', '008,many,1,2', 'A,2147483648,1,2', '010,,1,2']
    const source = await client.upload('places.csv', `code,people,lon,lat\n${rows.join('\n')}\n`)
    const fields = [{ keyname: 'people', datatype: 'INTEGER' }]
    const id = await client.create({ ...mercator, source, skip_errors: true }, { feature_layer: { fields } })
    expect((await client.features(id)).map((feature) => feature.fields)).toEqual([
      { people: 5, code: '007' },
      { people: null, code: '010' },
    ])
  })

  test('features can be appended to those of the file', async () => {
    const id = await createFrom(places('A', 'B'))
    await client.add(id, 'POINT(0 0)', { name: 'C' })
    expect((await client.features(id)).map((feature) => [feature.id, feature.fields.name])).toEqual([
      [1, 'A'],
      [2, 'B'],
      [3, 'C'],
    ])
  })

  test('the layer has the geometry type of the request', async () => {
    const id = await createFrom(places('A'), { geometry_type: 'MULTIPOINTZ' })
    expect((await client.get(id)).vector_layer.geometry_type).toBe('MULTIPOINTZ')
  })

  describe('a new source', () => {
    const fields = [
      { keyname: 'name', datatype: 'STRING', display_name: 'Name', label_field: true },
      { keyname: 'rank', datatype: 'INTEGER', display_name: 'Rank' },
    ]

    test('replaces the features in place: ids, flags and names of the fields stay', async () => {
      const id = await createFrom(places('A', 'B'))
      await client.put(id, { feature_layer: { fields } })
      const before = await client.get(id)
      const source = await client.upload(
        'new.geojson',
        geojson([{ geometry: point(5, 5), properties: { rank: '7', name: 'C', more: 1 } }]),
      )
      await client.put(id, { vector_layer: { source } })
      const after = await client.get(id)
      expect(after.vector_layer).toMatchObject({ ...mercator, geometry_type: 'POINT', data_version: 2 })
      const idOf = (keyname: string) =>
        before.feature_layer.fields.find((field) => field.keyname === keyname)?.id
      expect(after.feature_layer.fields).toMatchObject([
        { id: idOf('rank'), keyname: 'rank', display_name: 'Rank', datatype: 'STRING' },
        { id: idOf('name'), keyname: 'name', display_name: 'Name', label_field: true },
        { keyname: 'more', display_name: 'more', label_field: false },
      ])
      expect(await client.features(id)).toMatchObject([{ id: 1, fields: { rank: '7', name: 'C', more: 1 } }])
    })

    test('changes nothing if it is invalid', async () => {
      const id = await createFrom(places('A', 'B'))
      const before = await client.get(id)
      const tables = await listFeatureTables(database)
      const source = await client.upload(
        'new.geojson',
        geojson([{ geometry: point(1, 1) }, { geometry: null }]),
      )
      const refused = await client.refuse('PUT', `/api/resource/${id}`, {
        resource: { display_name: 'renamed' },
        vector_layer: { source },
      })
      expect(refused).toMatchObject({
        status: 422,
        code: 'source/bad-features',
        detail: expect.stringContaining('feature 2'),
      })
      expect(await client.get(id)).toEqual(before)
      expect(await client.features(id)).toHaveLength(2)
      expect(await listFeatureTables(database)).toEqual(tables)
    })

    test('with other geometries is refused', async () => {
      const id = await createFrom(places('A'))
      const source = await client.upload('new.geojson', geojson([{ geometry: square }]))
      expect(await client.refuse('PUT', `/api/resource/${id}`, { vector_layer: { source } })).toMatchObject({
        status: 422,
        message: expect.stringContaining('the layer has geometry type POINT, the source POLYGON'),
      })
      expect(await client.features(id)).toHaveLength(1)
    })

    test('may widen the geometry type, but never narrows it', async () => {
      const id = await createFrom(geojson([{ geometry: square }]))
      const two = { type: 'MultiPolygon', coordinates: [(square as { coordinates: unknown }).coordinates] }
      const several = await client.upload('new.geojson', geojson([{ geometry: two }]))
      await client.put(id, { vector_layer: { source: several } })
      expect((await client.get(id)).vector_layer.geometry_type).toBe('MULTIPOLYGON')
      const single = await client.upload('new.geojson', geojson([{ geometry: square }]))
      await client.put(id, { vector_layer: { source: single } })
      expect((await client.get(id)).vector_layer).toMatchObject({
        geometry_type: 'MULTIPOLYGON',
        data_version: 3,
      })
    })

    test('is converted to the reference system of the layer', async () => {
      const id = await client.create({ srs: { id: 4326 }, geometry_type: 'POINT' })
      const source = await client.upload('new.geojson', places('A', 'B'))
      await client.put(id, { vector_layer: { source, srs: { id: 4326 } } })
      expect((await client.features(id)).map(({ geom }) => geom)).toEqual(['POINT(0 0)', 'POINT(1 1)'])
    })

    test('leaves no table of the old features behind', async () => {
      const before = await listFeatureTables(database)
      const id = await createFrom(places('A'))
      const source = await client.upload('new.geojson', places('B'))
      await client.put(id, { vector_layer: { source } })
      expect((await listFeatureTables(database)).tables).toHaveLength(before.tables.length + 1)
      expect((await server.admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
      expect(await listFeatureTables(database)).toEqual(before)
    })
  })

  describe('is refused, and leaves nothing behind:', () => {
    test.each<[string, number, string, object, (client: LayerClient) => Promise<unknown>]>([
      [
        'another reference system',
        422,
        'request/invalid',
        { srs: { id: 4326 } },
        (c) => c.upload('a.geojson', places('A')),
      ],
      ['an upload that is not there', 422, 'upload/not-found', {}, async () => ({ id: '0'.repeat(32) })],
      ['a file that is no data', 422, 'source/unreadable', {}, (c) => c.upload('a.geojson', 'hello')],
      [
        'a zip bomb',
        422,
        'source/unreadable',
        {},
        (c) => c.upload('a.zip', makeZip([{ name: 'a.csv', content: Buffer.alloc(80 << 20) }])),
      ],
      [
        'ids from a field that is not named',
        422,
        'request/invalid',
        { fid_source: 'FIELD' },
        (c) => c.upload('a.geojson', places('A')),
      ],
      [
        'ids from a field that is not there',
        422,
        'request/invalid',
        { fid_source: 'FIELD', fid_field: 'nr' },
        (c) => c.upload('a.geojson', places('A')),
      ],
      [
        'bad features',
        422,
        'source/bad-features',
        {},
        (c) => c.upload('a.geojson', geojson([{ geometry: null }])),
      ],
    ])('%s', async (_, status, code, options, upload) => {
      const before = await listFeatureTables(database)
      const refused = await client.refuse('POST', '/api/resource/', {
        resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
        vector_layer: { ...mercator, source: await upload(client), ...options },
      })
      expect(refused).toMatchObject({ status, code })
      expect(await listFeatureTables(database)).toEqual(before)
    })

    test('a creation that fails after its file was read', async () => {
      const before = await listFeatureTables(database)
      const fields = [{ keyname: 'geom', datatype: 'DATE' }]
      const refused = await client.refuse('POST', '/api/resource/', {
        resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
        vector_layer: { ...mercator, source: await client.upload('a.geojson', places('A')) },
        feature_layer: { fields },
      })
      expect(refused).toMatchObject({
        status: 422,
        message: expect.stringContaining('the keyname "geom" is reserved'),
      })
      expect(await listFeatureTables(database)).toEqual(before)
    })
  })

  test('a disconnected client leaves nothing behind', async () => {
    const gate = makeGate(await openTestDatabase(driver), copies)
    const server = await startTestServer(driver, { database: gate.database })
    const source = await openLayerClient(server).upload('a.csv', 'nr,lon,lat\n1,2,3\n')
    const { reached } = gate.shut()
    const leaving = new AbortController()
    const body = JSON.stringify({
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Left' },
      vector_layer: { ...mercator, source },
    })
    const token = Buffer.from('administrator:a test password').toString('base64')
    const asking = fetch(`${server.url}/api/resource/`, {
      method: 'POST',
      headers: { authorization: `Basic ${token}` },
      body,
      signal: leaving.signal,
    })
    await reached
    expect((await listFeatureTables(gate.database)).staged).toHaveLength(1)
    leaving.abort()
    await expect(asking).rejects.toThrow('aborted')
    gate.open()
    while ((await listFeatureTables(gate.database)).staged.length > 0) await gate.database.query('select 1')
    expect(await listFeatureTables(gate.database)).toEqual({ tables: [], staged: [] })
    const found = await server.admin('GET', '/api/resource/search/?display_name=Left')
    expect(await found.json()).toEqual([])
    await server.stop()
  })
})
