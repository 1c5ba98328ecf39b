import { EventEmitter } from 'node:events'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Connector } from '../support/connector.ts'
import { type KitFeature, type KitModules, type KitRequest, loadKit } from '../support/kit.ts'
import { describeServer, type TestServer } from '../support/server.ts'
import { createLayer } from '../support/tree.ts'
import { principalId, userPassword } from '../support/users.ts'

const auth = { login: 'mapper', password: userPassword }

const fields = [
  { keyname: 'name', datatype: 'STRING', display_name: 'Name of the town' },
  { keyname: 'people', datatype: 'INTEGER' },
  { keyname: 'share', datatype: 'REAL' },
  { keyname: 'since', datatype: 'DATE' },
  { keyname: 'seen', datatype: 'DATETIME' },
  { keyname: 'code', datatype: 'BIGINT' },
]

const since = (year: number, month: number, day: number) => ({ year, month, day })
const town = (name: string, position: readonly [number, number], more: object) => ({
  geom: { type: 'Point', coordinates: position },
  fields: { name, seen: { ...since(2024, 5, 17), hour: 9, minute: 30, second: 0 }, ...more },
})
const towns = [
  town('Oslo', [10.75, 59.875], { people: 709_000, share: 0.25, since: since(1048, 1, 1), code: 1 }),
  town('Wien', [16.375, 48.25], { people: 2_000_000, share: 1.5, since: since(1881, 5, 6), code: 2 }),
  town('Lodz', [19.5, 51.75], { people: 650_000, share: null, since: since(1423, 7, 29), code: null }),
  town('Bern', [7.5, 46.875], { people: 134_000, share: 0.25, since: null, code: 2 }),
]

describeServer('the kit from npm', (start) => {
  let server: TestServer
  let layer = 0
  let modules: KitModules
  let connector: Connector
  let query: KitRequest

  beforeAll(async () => {
    server = await start()
    const member_of = [await principalId(server.database, 'administrators')]
    await server.admin('POST', '/api/component/auth/user/', {
      keyname: auth.login,
      password: auth.password,
      member_of,
    })
    layer = await createLayer(server.admin, { name: 'Towns', geometryType: 'POINT', fields })
    const path = `/api/resource/${layer}/feature/?srs=4326&geom_format=geojson`
    expect((await server.admin('PATCH', path, towns)).status).toBe(200)
  })
  beforeEach(() => {
    modules = loadKit()
    connector = new modules.NgwConnector({ baseUrl: server.url, auth })
    query = { connector, resourceId: layer }
  })
  const ids = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id)

  describe('reads features', () => {
    test('with dates as objects and geometries in EPSG:4326', async () => {
      const items = await modules.kit.fetchNgwLayerItems(query)
      expect(ids(items)).toEqual([1, 2, 3, 4])
      expect(items[0]).toMatchObject({
        geom: { type: 'Point', coordinates: [expect.closeTo(10.75), expect.closeTo(59.875)] },
        fields: {
          name: 'Oslo',
          people: 709_000,
          share: 0.25,
          since: since(1048, 1, 1),
          seen: { ...since(2024, 5, 17), hour: 9, minute: 30, second: 0 },
          code: 1,
        },
      })
    })

    test('as GeoJSON, one or all', async () => {
      const features = await modules.kit.fetchNgwLayerFeatures(query)
      const { features: collected } = await modules.kit.fetchNgwLayerFeatureCollection(query)
      expect(features).toEqual(collected)
      const one = await modules.kit.fetchNgwLayerFeature({ ...query, featureId: 2 })
      expect(one).toEqual(features[1])
      expect(one).toMatchObject({ type: 'Feature', id: 2, properties: { name: 'Wien' } })
    })

    test('one by one, with the geometry fetched later', async () => {
      const request = { ...query, featureId: 3, geom: false, fields: ['name'], extensions: ['description'] }
      const item = await modules.kit.fetchNgwLayerItem(request)
      expect(item).toMatchObject({ id: 3, fields: { name: 'Lodz' }, extensions: { description: null } })
      expect(item.geom).toBeUndefined()
      expect(await item.toGeojson?.()).toMatchObject({
        geometry: { coordinates: [expect.closeTo(19.5), expect.closeTo(51.75)] },
        properties: { name: 'Lodz' },
      })
    })

    test('as a sorted page with some fields', async () => {
      const request = { ...query, orderBy: ['-share', 'name'], fields: ['name'], limit: 2, offset: 1 }
      const items = await modules.kit.fetchNgwLayerItems({ ...request, geom: false })
      const all = await modules.kit.fetchNgwLayerItems({ ...request, limit: 10, offset: 0, geom: false })
      expect(items).toEqual(all.slice(1, 3))
      expect(items.every((item) => item.geom === undefined)).toBe(true)
      expect(Object.keys(items[0]?.fields ?? {})).toEqual(['name'])
    })

    test('by a string in any field', async () => {
      expect(ids(await modules.kit.fetchNgwLayerItems({ ...query, ilike: 'OSL' }))).toEqual([1])
      expect(ids(await modules.kit.fetchNgwLayerItems({ ...query, like: 'OSL' }))).toEqual([])
    })

    test('in a bounding box in EPSG:4326, and in a polygon in EPSG:3857', async () => {
      const box = [15, 47, 20, 53]
      expect(ids(await modules.kit.fetchNgwLayerItems({ ...query, intersects: box }))).toEqual([2, 3])
      const polygon = 'POLYGON((1100000 8300000, 1300000 8300000, 1300000 8500000, 1100000 8300000))'
      expect(ids(await modules.kit.fetchNgwLayerItems({ ...query, intersects: polygon }))).toEqual([1])
    })

    test.each<[string, readonly unknown[], readonly number[]]>([
      ['gt', [['people', 'gt', 650_000]], [1, 2]],
      ['ge', [['people', 'ge', 650_000]], [1, 2, 3]],
      ['lt', [['people', 'lt', 650_000]], [4]],
      ['le', [['people', 'le', 650_000]], [3, 4]],
      ['eq', [['name', 'eq', 'Wien']], [2]],
      ['ne', [['name', 'ne', 'Wien']], [1, 3, 4]],
      ['in', [['name', 'in', ['Wien', 'Bern']]], [2, 4]],
      ['notin', [['name', 'notin', ['Wien', 'Bern']]], [1, 3]],
      ['like with a wildcard', [['%name%', 'like', 'e']], [2, 4]],
      ['ilike with a wildcard', [['name%', 'ilike', 'OS']], [1]],
      ['a real number', [['share', 'eq', 0.25]], [1, 4]],
      ['a date', [['since', 'lt', '1500-01-01']], [1, 3]],
      ['ids', [['id', 'in', [2, 3]]], [2, 3]],
      ['all of several', ['all', ['people', 'gt', 600_000], ['share', 'lt', 1]], [1]],
      ['any of several', ['any', ['name', 'eq', 'Bern'], ['people', 'gt', 1_000_000]], [2, 4]],
      [
        'all with any in it',
        ['all', ['share', 'le', 1], ['any', ['name', 'eq', 'Oslo'], ['code', 'eq', 2]]],
        [1, 4],
      ],
    ])('that match: %s', async (_, filters, expected) => {
      const found = await modules.kit.fetchNgwLayerItems({ ...query, filters })
      expect(ids(found).sort()).toEqual(expected)
    })

    test('as distinct values', async () => {
      const distinct = await modules.kit.selectNgwLayerDistinct({ ...query, fields: ['share', 'code'] })
      expect(distinct).toEqual({ share: [0.25, 1.5], code: [1, 2] })
    })
  })

  test('returns feature count and extent', async () => {
    expect(await modules.kit.fetchNgwLayerCount(query)).toBe(4)
    const extent = [7.5, 46.875, 19.5, 59.875].map((edge) => expect.closeTo(edge))
    expect(await modules.kit.fetchNgwLayerExtent(query)).toEqual(extent)
    expect(await modules.kit.fetchNgwExtent(query)).toEqual(extent)
    const oslo = [10.75, 59.875, 10.75, 59.875].map((edge) => expect.closeTo(edge))
    expect(await modules.kit.fetchNgwLayerItemExtent({ ...query, featureId: 1 })).toEqual(oslo)
  })

  test('maps fields to display names, and writes prepared values', async () => {
    const { kit } = modules
    const names = await kit.mapFeatureDisplayName({
      connector,
      resource: layer,
      fields: ['name', 'people', 'x'],
    })
    expect(names).toEqual(['Name of the town', 'people', 'x'])
    const typed = { name: 'Typed', people: '12', share: '2.5', code: 9, since: since(2000, 2, 29), other: 1 }
    const prepared = { fields: kit.prepareFieldsToNgw(typed, fields), geom: 'POINT (0 0)' }
    const created = await connector.post<{ id: number }>(
      'feature_layer.feature.collection',
      { data: prepared },
      { id: layer },
    )
    const item = await kit.fetchNgwLayerItem({ ...query, featureId: created.id })
    expect(item.fields).toMatchObject({
      name: 'Typed',
      people: 12,
      share: 2.5,
      code: 9,
      since: since(2000, 2, 29),
    })
    expect(kit.parseDate(item.fields.since)).toBe('2000-2-29')
    await connector.put(
      'feature_layer.feature.item',
      { data: { fields: { name: null } } },
      { id: layer, fid: created.id },
    )
    await connector.delete('feature_layer.feature.item', null, { id: layer, fid: created.id })
    expect((await server.admin('GET', `/api/resource/${layer}/feature/${created.id}`)).status).toBe(404)
  })

  test('identifies features under a click, and reads them', async () => {
    const { kit } = modules
    const click = { lngLat: [16.3751, 48.2501] }
    const found = await kit.sendIdentifyRequest(click, { connector, layers: [layer], radius: 5 })
    expect(found.featureCount).toBe(1)
    const [first] = kit.getIdentifyItems(found, true)
    expect(first).toMatchObject({
      resourceId: layer,
      featureId: 2,
      feature: { layerId: layer, parent: 'Towns' },
    })
    expect(await kit.fetchIdentifyItem({ connector, identify: found })).toMatchObject({ id: 2 })
    expect(await kit.fetchIdentifyGeoJson({ connector, identify: found })).toMatchObject({
      properties: { name: 'Wien' },
    })
    const item = kit.createIdentifyItem({ connector, feature: first?.feature ?? {} })
    expect(await item.identify()).toMatchObject({ extensions: { attachment: null, description: null } })
    expect(await item.geojson()).toMatchObject({ type: 'Feature', id: 2 })
    expect((await item.getBounds())[0]).toBeCloseTo(16.375)
    const ring = [
      [15, 45],
      [25, 45],
      [25, 55],
      [15, 55],
      [15, 45],
    ]
    const polygon = { type: 'Polygon', coordinates: [ring] }
    const several = await kit.featureLayerIdentify({ connector, layers: [layer], geom: polygon })
    expect(kit.getIdentifyItems(several, true).map(({ featureId }) => featureId)).toEqual([2, 3])
  })

  test('attaches a file to a feature, and removes it', async () => {
    const { kit } = modules
    const request = { ...query, featureId: 1 }
    const file = { file: Buffer.from('a note'), name: 'note.txt' }
    const { id } = await kit.uploadFeatureAttachment({ ...request, file })
    const path = `/api/resource/${layer}/feature/1`
    const attachments = async () =>
      (await (await server.admin('GET', path)).json<{ extensions: { attachment: unknown } }>()).extensions
        .attachment
    expect(await attachments()).toMatchObject([{ id, name: 'note.txt', size: 6 }])
    const read = await kit.fetchNgwLayerItem({ ...request, extensions: ['attachment'] })
    expect(read.extensions).toMatchObject({ attachment: [{ id }] })
    await kit.deleteFeatureAttachment({ ...request, attachmentId: id })
    expect(await attachments()).toBeNull()
  })

  test('shows a layer on a map, filtered and limited to the view', async () => {
    const shown: KitFeature[][] = []
    const map = new modules.WebMap({ mapAdapter: mapOf(shown) })
    const options = { resource: layer, adapter: 'GEOJSON', adapterOptions: {} } as const
    const Layer = await modules.kit.createNgwLayerAdapter(options, map, connector)
    const layerAdapter = new Layer(map, {})
    await layerAdapter.addLayer({ id: 'all' })
    await layerAdapter.addLayer({ id: 'some', propertiesFilter: [['people', 'gt', 600_000]] })
    await layerAdapter.addLayer({ id: 'view', strategy: 'BBOX' })
    expect(shown.map(ids)).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3],
      [2, 3],
    ])
    expect(await layerAdapter.getCount()).toBe(4)
    expect((await layerAdapter.getBounds())[3]).toBeCloseTo(59.875)
  })
})

/** A headless map with a fixed view that records the features shown. */
function mapOf(shown: KitFeature[][]) {
  class Layer {
    readonly options: object = {}
    addLayer() {
      return {}
    }
    setData({ features }: { readonly features: KitFeature[] }) {
      shown.push(features)
    }
  }
  return {
    layerAdapters: { GEOJSON: Layer },
    emitter: new EventEmitter(),
    map: {},
    isLoaded: true,
    create: () => undefined,
    getBounds: () => [15, 47, 20, 53],
    getZoom: () => 5,
    getCenter: () => [17, 50],
    setCenter: () => undefined,
    setZoom: () => undefined,
    setView: () => undefined,
  }
}
