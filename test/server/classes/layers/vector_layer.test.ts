import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../../src/database/database.ts'
import { listFeatureTables } from '../../../support/import.ts'
import { type LayerClient, openLayerClient, type WireLayer } from '../../../support/layer_client.ts'
import { describeServers } from '../../../support/server.ts'
import { geojson, point } from '../../../support/vector.ts'

const points = { srs: { id: 3857 }, geometry_type: 'POINT' }
const field = (keyname: string, datatype = 'STRING', more: object = {}) => ({ keyname, datatype, ...more })

describeServers('layers created empty', (start) => {
  let client: LayerClient
  let database: Database

  beforeAll(async () => {
    const server = await start()
    client = openLayerClient(server)
    database = server.database
  })

  const refuseCreation = (own: object, others: object = {}) =>
    client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
      vector_layer: own,
      ...others,
    })
  test('as many fields as a table supports are accepted, and more are refused, from requests and files', async () => {
    const fields = Array.from({ length: 1700 }, (_, at) => ({ keyname: `f${at}`, datatype: 'INTEGER' }))
    const own = { srs: { id: 3857 }, geometry_type: 'POINT', fields }
    expect(await refuseCreation(own)).toMatchObject({ status: 422, code: 'request/invalid' })
    const id = await client.create({ ...own, fields: fields.slice(0, 1500) })
    await client.add(id, 'POINT (1 1)', { f0: 1, f1499: 2 })
    const [feature] = await client.features(id)
    expect(Object.values(feature?.fields ?? {}).filter((value) => value !== null)).toEqual([1, 2])
    const properties = Object.fromEntries(fields.map(({ keyname }) => [keyname, 'x']))
    const content = geojson([{ geometry: point(1, 1), properties }])
    const source = await client.upload('wide.geojson', content)
    expect(await refuseCreation({ srs: { id: 3857 }, source })).toMatchObject({
      status: 422,
      code: 'source/unreadable',
    })
  })

  const refuseFields = (id: number, fields: object[]) =>
    client.refuse('PUT', `/api/resource/${id}`, { feature_layer: { fields } })
  const putFields = (id: number, fields: object[]) => client.put(id, { feature_layer: { fields } })
  const keynamesOf = async (id: number) =>
    (await client.get(id)).feature_layer.fields.map(({ keyname }) => keyname)

  test.each(['vector_layer', 'feature_layer'] as const)(
    'take their fields from member %s',
    async (member) => {
      const fields = [field('name', 'STRING', { display_name: 'Name' }), field('size', 'REAL')]
      const id = await client.create(
        { ...points, ...(member === 'vector_layer' ? { fields } : {}) },
        member === 'feature_layer' ? { feature_layer: { fields } } : {},
      )
      const layer = await client.get(id)
      expect(layer.vector_layer).toEqual({ ...points, data_version: 1, extensions_version: 0 })
      expect(layer.feature_layer.fields).toMatchObject([
        { keyname: 'name', display_name: 'Name', datatype: 'STRING', typemod: null, text_search: true },
        { keyname: 'size', display_name: 'size', datatype: 'REAL' },
      ])
      await client.add(id, 'POINT(1 2)', { name: 'A', size: 1.5 })
      expect(await client.features(id)).toMatchObject([{ id: 1, fields: { name: 'A', size: 1.5 } }])
    },
  )

  test.each<[string, string, object, object?]>([
    ['without a geometry type', 'geometry_type', { srs: { id: 3857 } }],
    ['with nothing at all', 'geometry_type', {}],
    ['without a reference system', 'srs', { geometry_type: 'POINT' }],
    ['in a reference system of few', 'EPSG:32633', { ...points, srs: { id: 32633 } }],
    ['of an unknown geometry', 'geometry_type', { ...points, geometry_type: 'CIRCLE' }],
    ['with a field called id', '"id"', { ...points, fields: [field('id')] }],
    ['with a field called geom', '"geom"', points, { feature_layer: { fields: [field('geom')] } }],
    ['with a keyname twice', 'duplicate keyname "a"', { ...points, fields: [field('a'), field('a')] }],
    [
      'with a display name twice',
      'duplicate display name "A"',
      { ...points, fields: [field('a', 'STRING', { display_name: 'A' }), field('A')] },
    ],
    ['with a field of an unknown type', 'datatype', { ...points, fields: [field('a', 'BLOB')] }],
    [
      'with a lookup table that is not there',
      'resource id = 999999 does not exist',
      { ...points, fields: [field('a', 'STRING', { lookup_table: { id: 999_999 } })] },
    ],
  ])('are refused %s', async (_, message, own, others) => {
    const before = await listFeatureTables(database)
    expect(await refuseCreation(own, others)).toMatchObject({
      status: 422,
      message: expect.stringContaining(message),
    })
    expect(await listFeatureTables(database)).toEqual(before)
  })

  describe('fields', () => {
    test('are added, renamed, flagged, reordered and dropped in one request', async () => {
      const id = await client.create({ ...points, fields: [field('a'), field('b'), field('c'), field('d')] })
      await client.add(id, 'POINT(0 0)', { a: '1', b: '2', c: '3', d: '4' })
      const [a, b, c] = (await client.get(id)).feature_layer.fields
      await putFields(id, [
        { id: c?.id, keyname: 'see', display_name: 'See', label_field: true, text_search: false },
        { id: a?.id, delete: true },
        field('new', 'INTEGER'),
        { id: b?.id, grid_visibility: false },
      ])
      expect((await client.get(id)).feature_layer.fields).toMatchObject([
        { id: c?.id, keyname: 'see', display_name: 'See', label_field: true, text_search: false },
        { keyname: 'new', datatype: 'INTEGER' },
        { id: b?.id, keyname: 'b', display_name: 'b', grid_visibility: false },
        { keyname: 'd' },
      ])
      expect(await client.features(id)).toMatchObject([{ fields: { see: '3', new: null, b: '2', d: '4' } }])
    })

    test('may swap their names', async () => {
      const id = await client.create({ ...points, fields: [field('a'), field('b')] })
      const [a, b] = (await client.get(id)).feature_layer.fields
      await client.add(id, 'POINT(0 0)', { a: '1', b: '2' })
      await putFields(id, [
        { id: a?.id, keyname: 'b', display_name: 'b' },
        { id: b?.id, keyname: 'a', display_name: 'a' },
      ])
      expect(await client.features(id)).toMatchObject([{ fields: { b: '1', a: '2' } }])
    })

    test('are identified by keyname if the id is absent', async () => {
      const id = await client.create({ ...points, fields: [field('a'), field('b')] })
      const before = (await client.get(id)).feature_layer.fields
      await putFields(id, [field('b', 'STRING', { display_name: 'B' }), field('a')])
      expect((await client.get(id)).feature_layer.fields).toMatchObject([
        { id: before[1]?.id, display_name: 'B' },
        { id: before[0]?.id },
      ])
    })

    test('have at most one label, which can be removed', async () => {
      const label = { label_field: true }
      const id = await client.create({ ...points, fields: [field('a', 'STRING', label), field('b')] })
      const labels = async () => (await client.get(id)).feature_layer.fields.map((one) => one.label_field)
      await putFields(id, [field('a'), field('b', 'STRING', label)])
      expect(await labels()).toEqual([false, true])
      await putFields(id, [field('b', 'STRING', { label_field: false })])
      expect(await labels()).toEqual([false, false])
    })

    test('cannot have duplicate names, unknown ids, or missing properties', async () => {
      const id = await client.create({ ...points, fields: [field('a'), field('b')] })
      const [a] = (await client.get(id)).feature_layer.fields
      expect(await refuseFields(id, [{ id: a?.id, keyname: 'b' }])).toMatchObject({ status: 422 })
      expect(await refuseFields(id, [{ id: a?.id, keyname: 'id' }])).toMatchObject({ status: 422 })
      expect(await refuseFields(id, [{ id: a?.id, display_name: 'b' }])).toMatchObject({ status: 422 })
      expect(await refuseFields(id, [{ id: 999_999, keyname: 'z' }])).toMatchObject({
        status: 422,
        message: expect.stringContaining('999999'),
      })
      expect(await refuseFields(id, [{ keyname: 'z' }])).toMatchObject({ status: 422 })
      expect(await keynamesOf(id)).toEqual(['a', 'b'])
    })

    test('change their type only if every value can be converted', async () => {
      const id = await client.create({ ...points, fields: [field('a')] })
      await client.add(id, 'POINT(0 0)', { a: '12' })
      await putFields(id, [field('a', 'INTEGER')])
      expect(await client.features(id)).toMatchObject([{ fields: { a: 12 } }])
      await putFields(id, [field('a', 'STRING')])
      await client.add(id, 'POINT(0 0)', { a: 'twelve' })
      expect(await refuseFields(id, [field('new'), field('a', 'INTEGER')])).toMatchObject({
        status: 422,
        message: expect.stringContaining('feature 2 has "twelve"'),
      })
      expect(await keynamesOf(id)).toEqual(['a'])
    })
  })

  describe('geometries', () => {
    test('change their type within the family', async () => {
      const id = await client.create({ ...points })
      await client.add(id, 'POINT(1 2)')
      await client.put(id, { vector_layer: { geometry_type: 'MULTIPOINTZ' } })
      expect(await client.features(id)).toMatchObject([{ geom: expect.stringMatching(/^MULTIPOINT Z ?\(/) }])
      await client.put(id, { vector_layer: { geometry_type: 'POINT' } })
      expect(await client.features(id)).toMatchObject([{ geom: 'POINT(1 2)' }])
    })

    test('with several parts stay multi', async () => {
      const id = await client.create({ ...points, geometry_type: 'MULTIPOINT' })
      await client.add(id, 'MULTIPOINT((1 2),(3 4))')
      const refused = client.refuse('PUT', `/api/resource/${id}`, {
        vector_layer: { geometry_type: 'POINT' },
      })
      expect(await refused).toMatchObject({
        status: 422,
        message: expect.stringContaining('feature 1 has 2'),
      })
    })

    test('cannot change their family or reference system', async () => {
      const id = await client.create({ ...points })
      const refuse = (own: object) => client.refuse('PUT', `/api/resource/${id}`, { vector_layer: own })
      expect(await refuse({ geometry_type: 'POLYGON' })).toMatchObject({ status: 422 })
      expect(await refuse({ srs: { id: 4326 } })).toMatchObject({ status: 422 })
    })
  })

  describe('data version', () => {
    const versionOf = async (id: number) => (await client.get(id)).vector_layer.data_version

    test('is incremented once by each request that changes values', async () => {
      const id = await client.create({ ...points, fields: [field('a'), field('b')] })
      await client.add(id, 'POINT(1 2)')
      expect(await versionOf(id)).toBe(2)
      await client.put(id, {
        vector_layer: { delete_all_features: true, geometry_type: 'MULTIPOINT' },
        feature_layer: { fields: [field('a', 'INTEGER'), field('c')] },
      })
      expect(await versionOf(id)).toBe(3)
      expect(await client.features(id)).toEqual([])
    })

    test('stays the same if no values change', async () => {
      const id = await client.create({ ...points, fields: [field('a')] })
      await client.put(id, {
        resource: { description: 'new' },
        vector_layer: { delete_all_features: false, geometry_type: 'POINT' },
        feature_layer: { fields: [field('a', 'STRING', { display_name: 'A' })] },
      })
      expect(await versionOf(id)).toBe(1)
    })
  })

  test('can be sent back unchanged, which changes nothing', async () => {
    const own = { ...points, fields: [field('a', 'STRING', { display_name: 'A' })] }
    const id = await client.create(own)
    const before = await client.get(id)
    await client.put(id, { ...before })
    // As GDAL does: with the fields of the creation, and under the old type.
    await client.put(id, { resource: { cls: 'vector_layer' }, vector_layer: { ...own, fields: [] } })
    const { resource: _, ...after } = await client.get(id)
    const { resource: __, ...members } = before
    expect(after).toEqual(members)
  })

  test('are deleted with their tables, also with a deleted group', async () => {
    const server = await start()
    const before = await listFeatureTables(database)
    const group = { cls: 'resource_group', parent: { id: 0 }, display_name: 'Group' }
    const made = await server.admin('POST', '/api/resource/', { resource: group })
    const { id } = await made.json<{ id: number }>()
    for (const name of ['A', 'B', 'C'])
      await client.create(points, { resource: { cls: 'vector_layer', parent: { id }, display_name: name } })
    // What nothing was written to has no table.
    expect(await listFeatureTables(database)).toEqual(before)
    const layers = await (await server.admin('GET', `/api/resource/?parent=${id}`)).json<WireLayer[]>()
    for (const { resource } of layers.slice(1)) await client.add(resource.id, 'POINT (1 2)')
    expect((await listFeatureTables(database)).tables).toHaveLength(before.tables.length + 2)
    expect((await server.admin('DELETE', `/api/resource/${id}`)).status).toBe(200)
    expect(await listFeatureTables(database)).toEqual(before)
  })
})
