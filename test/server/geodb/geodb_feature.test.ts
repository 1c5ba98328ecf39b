import { expect, test } from 'vitest'
import { seededRandom } from '../../bench/support/tile_addresses.ts'
import { createConnection, createGeodbLayer, openTables, useForeign } from '../../support/geodb.ts'
import { type Ask, describeServer, type TestServer } from '../../support/server.ts'
import { expectSameFeatures, readTile } from '../../support/tile_match.ts'
import { createLayer, createResource, createStyle } from '../../support/tree.ts'

const openForeign = useForeign()

const fields = [
  { keyname: 'i', datatype: 'INTEGER' },
  { keyname: 'b', datatype: 'BIGINT' },
  { keyname: 'r', datatype: 'REAL' },
  { keyname: 's', datatype: 'STRING' },
  { keyname: 'd', datatype: 'DATE' },
  { keyname: 't', datatype: 'TIME' },
  { keyname: 'm', datatype: 'DATETIME' },
]

const features = [
  {
    geom: 'POINT (1000 2000)',
    fields: {
      i: 7,
      b: '9223372036854775807',
      r: 0.1,
      s: 'Ä "quoted" \\ text',
      d: '2020-02-29',
      t: '23:59:58',
      m: '2020-02-29T01:02:03',
    },
  },
  { geom: 'POINT (-5000000.25 4000000.5)', fields: { i: -1, b: 12, r: 1e300, s: '50%_', d: '1999-12-31' } },
  { geom: 'POINT (1010 2010)', fields: { i: 7, s: 'alpha' } },
  { geom: null, fields: {} },
]

interface Pair {
  readonly admin: Ask
  readonly own: number
  readonly foreign: number
}

let made = 0

/** Two layers with the same features: one of our own, one of a table elsewhere whose columns are like ours. */
async function createPair({ admin }: TestServer): Promise<Pair> {
  const { execute, connection } = await openForeign()
  made += 1
  const table = `pair_${made}`
  await execute(`create table ${table} (id serial primary key, geom geometry(Point, 3857), i integer, b bigint,
    r double precision, s text, d date, t time, m timestamp)`)
  const id = await createConnection(admin, `Pair ${made}`, connection)
  const foreign = await createGeodbLayer(admin, { name: `Foreign ${made}`, connection: { id }, table })
  const own = await createLayer(admin, { name: `Own ${made}`, geometryType: 'POINT', fields })
  for (const layer of [own, foreign]) {
    const answer = await admin('PATCH', `/api/resource/${layer}/feature/`, features)
    expect([answer.status, await answer.json()]).toEqual([200, [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]])
  }
  return { admin, own, foreign }
}

/** What both layers answer: status and body, in which they are called the same. */
async function askBoth({ admin, own, foreign }: Pair, method: string, path: string, body?: unknown) {
  const answers = []
  for (const id of [own, foreign]) {
    const answer = await admin(method, path.replaceAll('{id}', String(id)), body)
    const text = Buffer.from(await answer.arrayBuffer()).toString('latin1')
    const about = `resource id = ${id}`
    const plain = text
      .replaceAll(`svc:${id}`, 'svc:#')
      .replaceAll(about, 'resource id = #')
      .replaceAll(`"resource_id":${id}`, '"resource_id":#')
      .replace(/"request_id":"[^"]*"/, '')
    answers.push({ status: answer.status, type: answer.headers.get('content-type'), text: plain })
  }
  return answers
}

const around = 'POLYGON ((0 0, 3000 0, 3000 3000, 0 3000, 0 0))'

describeServer('features of a foreign table', (start) => {
  let pairing: Promise<Pair> | undefined
  const pair = () => {
    pairing ??= start().then(createPair)
    return pairing
  }

  test.each([
    'feature/',
    'feature/1',
    'feature/4',
    'feature/1?geom=no&dt_format=iso&extensions=',
    'feature/1?geom_format=geojson&srs=4326',
    'feature/1?srs=25832',
    'feature/99',
    'feature/9007199254740993',
    'feature/?limit=2&offset=1&order_by=-i,s',
    'feature/?fields=s,i&geom=no',
    'feature/?fld_i=7',
    'feature/?fld_i=7.0&fld_s__ilike=ALPHA',
    'feature/?fld_b=9223372036854775807',
    'feature/?fld_r=0.1',
    'feature/?fld_d__ge=2020-01-01',
    'feature/?fld_t=23:59:58',
    'feature/?fld_m__le=2020-02-29T01:02:03',
    'feature/?fld_s__like=50%25_',
    'feature/?fld_s__in=alpha,beta&id__gt=1',
    'feature/?fld_s__isnull=yes',
    'feature/?like=alpha',
    'feature/?ilike=QUOTED',
    `feature/?intersects=${encodeURIComponent(around)}`,
    'feature/?bbox=0,0,3000,3000&srs=4326',
    'feature/?fld_none=1',
    'feature/?fld_i=x',
    'feature/?order_by=none',
    'feature/?srs=999999',
    'feature_count',
    'extent',
    'feature/1/extent',
    'feature/4/extent',
    'feature/99/extent',
    'geojson',
  ])('have the same responses as those of vector layers: %s', async (path) => {
    const [own, foreign] = await askBoth(await pair(), 'GET', `/api/resource/{id}/${path}`)
    expect(foreign).toEqual(own)
  })

  test('are identified like those of vector layers', async () => {
    const { admin, own, foreign } = await pair()
    const body = { srs: 3857, geom: around, layers: [own, foreign] }
    const answer = await admin('POST', '/api/feature_layer/identify', body)
    const found = await answer.json<Record<string, { features: { id: number; fields: object }[] }>>()
    const facts = (id: number) => found[id]?.features.map((feature) => [feature.id, feature.fields])
    expect(facts(foreign)).toHaveLength(2)
    expect(facts(foreign)).toEqual(facts(own))
  })

  test('are drawn like those of vector layers, simplified or not', async () => {
    const { admin, own, foreign } = await pair()
    const random = seededRandom(20_261_124)
    for (const [more, max] of [
      ['', 4096],
      ['&simplification=0', 4096],
      ['&extent=512&padding=0', 512],
    ] as const)
      for (const place of ['z=0&x=0&y=0', 'z=9&x=256&y=255', 'z=14&x=8192&y=8191']) {
        const path = `/api/component/feature_layer/mvt?${place}${more}`
        const [ours, theirs] = await Promise.all([own, foreign].map((id) => readTile(admin, path, id)))
        expect(theirs?.status).toBe(ours?.status)
        expectSameFeatures(theirs?.features ?? [], ours?.features ?? [], { range: [0, max], random })
      }
    const { features } = await readTile(admin, '/api/component/feature_layer/mvt?z=0&x=0&y=0', foreign)
    expect(features).not.toHaveLength(0)
  })

  const written = { geom: 'POINT (1 2)', fields: { i: 1, s: 'new', d: { year: 2021, month: 1, day: 2 } } }

  test.each<[string, string, string, unknown]>([
    ['a feature is created', 'POST', '', written],
    ['one in degrees', 'POST', '?srs=4326', { geom: 'POINT (10 50)' }],
    ['one of GeoJSON', 'POST', '?geom_format=geojson', { geom: { type: 'Point', coordinates: [3, 4] } }],
    ['one is changed', 'PUT', '2', { fields: { s: 'changed', b: '-9223372036854775808' } }],
    ['one is moved', 'PUT', '2?srs=4326', { geom: 'POINT (1 1)' }],
    ['one loses its place', 'PUT', '1?geom_null=yes', { geom: null }],
    ['one that is not there is changed', 'PUT', '99', { fields: { s: 'x' } }],
    ['nothing of one is changed', 'PUT', '3', {}],
    [
      'many are changed at once',
      'PATCH',
      '',
      [{ id: 1, fields: { i: 5 } }, written, { id: 3, delete: true }],
    ],
    ['a bad one among good ones', 'PATCH', '', [written, { id: 98, fields: { i: 5 } }]],
    ['a shape of another kind', 'POST', '', { geom: 'LINESTRING (0 0, 1 1)' }],
    ['a value of another type', 'POST', '', { fields: { i: 1.5 } }],
    ['one is deleted', 'DELETE', '1', undefined],
    ['one is deleted twice', 'DELETE', '1', undefined],
    ['listed ones are deleted', 'DELETE', '', [{ id: 2 }]],
    ['all are deleted', 'DELETE', '', undefined],
  ])('are written like those of vector layers: %s', async (_, method, path, body) => {
    const both = await pair()
    const [own, foreign] = await askBoth(both, method, `/api/resource/{id}/feature/${path}`, body)
    expect(foreign).toEqual(own)
    const [ownAll, foreignAll] = await askBoth(both, 'GET', '/api/resource/{id}/feature/')
    expect(foreignAll).toEqual(ownAll)
  })
})

describeServer('a table with other writers', (start) => {
  const { openLayer } = openTables(start, openForeign)

  test('is never cached: tile, count, extent and list show the current state', async () => {
    const columns = 'id serial primary key, geom geometry(Point, 3857), n text'
    const { execute, admin, id } = await openLayer('others', columns)
    await execute(`insert into others (geom, n) values (ST_SetSRID(ST_MakePoint(0, 0), 3857), 'a')`)
    const look = async () => {
      const tile = await admin('GET', `/api/component/feature_layer/mvt?z=0&x=0&y=0&resource=${id}`)
      const count = await (await admin('GET', `/api/resource/${id}/feature_count`)).json()
      const extent = await (await admin('GET', `/api/resource/${id}/extent`)).text()
      return { tag: tile.headers.get('etag'), bytes: (await tile.arrayBuffer()).byteLength, count, extent }
    }
    const before = await look()
    expect(before.count).toEqual({ total_count: 1 })
    expect(await look()).toEqual(before)
    await execute(`insert into others (geom, n) values (ST_SetSRID(ST_MakePoint(9e6, 9e6), 3857), 'b')`)
    const after = await look()
    expect(after.count).toEqual({ total_count: 2 })
    expect(after.extent).not.toBe(before.extent)
    expect(after.bytes).toBeGreaterThan(before.bytes)
    expect(after.tag).not.toBe(before.tag)
    await execute('delete from others')
    expect(await look()).toMatchObject({ count: { total_count: 0 }, bytes: 0 })
  })

  test('is drawn on the map page in its style', async () => {
    const columns = 'id serial primary key, geom geometry(Polygon, 3857), kind text'
    const { admin, id } = await openLayer('drawn', columns)
    const style = await createStyle(admin, {
      parent: id,
      name: 'Red',
      inner: '<color red="255" green="0" blue="0"/>',
    })
    const item = { item_type: 'layer', display_name: 'Drawn', layer_style_id: style, layer_enabled: true }
    const root_item = { item_type: 'root', children: [item] }
    const map = await createResource(admin, {
      cls: 'webmap',
      name: 'Drawn map',
      members: { webmap: { root_item } },
    })
    const config = await admin('GET', `/api/resource/${map}/webmap/display_config`)
    expect(await config.json()).toMatchObject({
      rootItem: {
        children: [
          {
            ...{ label: 'Drawn', layerId: id, styleId: style },
            landform: {
              fields: [{ keyname: 'kind', label: 'kind', datatype: 'STRING' }],
              undrawnParts: [],
            },
          },
        ],
      },
    })
  })
})
