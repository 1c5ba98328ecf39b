import { expect, test } from 'vitest'
import { seededRandom } from '../../bench/support/tile_addresses.ts'
import { openTables, useForeign } from '../../support/geodb.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { expectSameFeatures, readTile } from '../../support/tile_match.ts'
import { createLayer } from '../../support/tree.ts'

const openForeign = useForeign()

const columns = `id bigserial primary key, geom geometry(PolygonZ, 25832), n2 smallint, n numeric(8,2), f real, u uuid,
  v varchar(5), c char(4), j jsonb, a text[], o boolean, z timestamptz, p timestamp(6), bin bytea, day date,
  g geography(Point), twice integer generated always as (n2 * 2) stored`

const uuid = '5b9f4e3c-2f52-4a43-9c39-1f2f6a6a2b11'

const datatypes = [
  ...['n2 INTEGER', 'n REAL', 'f REAL', 'u STRING', 'v STRING', 'c STRING', 'j STRING', 'a STRING'],
  ...['o STRING', 'z DATETIME', 'p DATETIME', 'day DATE', 'twice INTEGER'],
]

const inserted = `insert into kinds (id, n2, n, f, u, v, c, j, a, o, z, p, day) values
  (9007199254740991, 3, 1.25, 0.1, '${uuid}', 'abc', 'x', '{"k": [1]}', '{a,b}', true, '2020-01-01 02:00+02',
   '2020-01-01 00:00:00.75', 'infinity')`

const values = {
  ...{ n2: 3, n: 1.25, f: 0.1, u: uuid, v: 'abc', c: 'x', j: '{"k": [1]}', a: '{a,b}', o: 'true' },
  ...{ z: '2020-01-01T00:00:00', p: '2020-01-01T00:00:00' },
}

const refusals: [fields: object, why: RegExp][] = [
  [{ v: 'too long' }, /too long for type character varying\(5\)/],
  [{ u: 'none' }, /invalid input syntax for type uuid/],
  [{ o: 'perhaps' }, /invalid input syntax for type boolean/],
  [{ n: 1e9 }, /numeric field overflow/],
  [{ n2: 40_000 }, /smallint out of range/],
  [{ twice: 1 }, /"twice"/],
]

describeServer('values of a foreign table', (start) => {
  const { openLayer } = openTables(start, openForeign)
  let opening: ReturnType<typeof openLayer> | undefined
  const open = async () => {
    opening ??= openLayer('kinds', columns).then(async (opened) => {
      await opened.execute(inserted)
      return opened
    })
    const { admin, id } = await opening
    return { admin, id, path: `/api/resource/${id}/feature/` }
  }
  const read = async (ask: Ask, path: string) => {
    const answer = await ask('GET', `${path}?geom=no&dt_format=iso`)
    return (await answer.json<{ fields: object }>()).fields
  }

  test('become fields by the types of their columns, except geometries and bytes', async () => {
    const { admin, id } = await open()
    const answer = await admin('GET', `/api/resource/${id}`)
    const { feature_layer } = await answer.json<{
      feature_layer: { fields: { keyname: string; datatype: string }[] }
    }>()
    expect(feature_layer.fields.map(({ keyname, datatype }) => `${keyname} ${datatype}`)).toEqual(datatypes)
  })

  test('are read exactly, timestamps to the second, and infinity as null', async () => {
    const { admin, path } = await open()
    expect(await read(admin, `${path}9007199254740991`)).toEqual({ ...values, day: null, twice: 6 })
  })

  test.each(Object.entries(values).filter(([name]) => !['j', 'a'].includes(name)))(
    'are found by %s=%s',
    async (name, value) => {
      const { admin, path } = await open()
      const found = await admin('GET', `${path}?fld_${name}=${value}&id__gt=1&geom=no`)
      expect(await found.json()).toEqual([expect.objectContaining({ id: Number.MAX_SAFE_INTEGER })])
    },
  )

  test('are written in the types of their columns', async () => {
    const { admin, path } = await open()
    const geom = 'POLYGON Z ((500000 5500000 1, 500010 5500000 1, 500000 5500010 1, 500000 5500000 1))'
    const fields = { ...values, day: '2020-01-02' }
    const made = await admin('POST', path, { geom, fields })
    const { id: fid } = await made.json<{ id: number }>()
    expect(await read(admin, `${path}${fid}`)).toEqual({ ...fields, twice: 6 })
  })

  test.each(refusals)('are refused if the column refuses them: %j', async (fields, why) => {
    const { admin, path } = await open()
    const refused = await admin('PUT', `${path}9007199254740991`, { fields })
    expect([refused.status, (await refused.json<{ message: string }>()).message]).toEqual([
      422,
      expect.stringMatching(why),
    ])
    expect(await read(admin, `${path}9007199254740991`)).toEqual({ ...values, day: null, twice: 6 })
  })
})

const shapes: Record<string, (x: number, y: number) => string> = {
  POINT: (x, y) => `POINT (${x} ${y})`,
  LINESTRING: (x, y) => `LINESTRING (${x} ${y}, ${x + 41_000.3} ${y + 7_000.7}, ${x + 9_000.1} ${y - 800.9})`,
  POLYGON: (x, y) =>
    `POLYGON ((${x} ${y}, ${x + 5_000.3} ${y + 70.7}, ${x + 900.1} ${y + 8_000.9}, ${x} ${y}))`,
}

const tiles = [
  ...['0/0/0', '5/16/10', '5/17/11', '7/66/44', '7/67/45', '9/266/178', '5/2/29', '3/7/7', '14/8539/5735'],
]

describeServer('a foreign table in another reference system', (start) => {
  const { openLayer } = openTables(start, openForeign)

  /** A layer of our own and one of a table elsewhere, with the same shapes in the middle of Europe. */
  const openTwins = async (srs: number, type: string) => {
    const name = `in_${srs}_${type.toLowerCase()}`
    const { admin, id: foreign } = await openLayer(
      name,
      `id serial primary key, geom geometry(${type}, ${srs})`,
    )
    const own = await createLayer(admin, { name: `Own ${name}`, geometryType: type })
    const features = Array.from({ length: 60 }, (_, n) => ({
      geom: shapes[type]?.(700_000.13 + n * 8_111.7, 6_000_000.29 + (n % 9) * 9_333.1),
    }))
    for (const layer of [own, foreign]) {
      const written = await admin('PATCH', `/api/resource/${layer}/feature/?srs=3857`, features)
      expect(written.status).toBe(200)
    }
    return { admin, own, foreign }
  }

  test.each([
    [25832, 'POINT'],
    [25832, 'POLYGON'],
    [4258, 'POLYGON'],
    [3035, 'LINESTRING'],
  ])('is drawn, found and measured like a vector layer: EPSG:%i, %s', async (srs, type) => {
    const { admin, own, foreign } = await openTwins(srs, type)
    const random = seededRandom(srs)
    const statuses = new Set<number>()
    for (const tile of tiles) {
      const [z, x, y] = tile.split('/')
      // Which of many small geometries is the largest depends on the reference system, so none is left out.
      const path = `/api/component/feature_layer/mvt?z=${z}&x=${x}&y=${y}&simplification=0`
      const [ours, theirs] = await Promise.all([own, foreign].map((layer) => readTile(admin, path, layer)))
      expect([tile, theirs?.status]).toEqual([tile, ours?.status])
      statuses.add(theirs?.status ?? 0)
      expectSameFeatures(theirs?.features ?? [], ours?.features ?? [], { range: [0, 4096], random })
    }
    expect(statuses).toEqual(new Set([200, 204]))
    const extent = async (layer: number) => {
      const answer = await admin('GET', `/api/resource/${layer}/extent`)
      return (await answer.json<{ extent: Record<string, number> }>()).extent
    }
    const measured = await extent(foreign)
    for (const [edge, degrees] of Object.entries(await extent(own)))
      expect(measured[edge]).toBeCloseTo(degrees, 6)
    const box = 'POLYGON ((690000 5990000, 900000 5990000, 900000 6100000, 690000 6100000, 690000 5990000))'
    const found = async (layer: number) => {
      const path = `/api/resource/${layer}/feature/?geom=no&intersects=${encodeURIComponent(box)}`
      return (await (await admin('GET', path)).json<{ id: number }[]>()).map(({ id }) => id)
    }
    expect(await found(foreign)).toEqual(await found(own))
    expect((await found(foreign)).length).toBeGreaterThan(5)
  })
})
