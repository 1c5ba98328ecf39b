import { expect, test } from 'vitest'
import { createLayerOf, fileNameOf, proj, readExport } from '../../support/exports.ts'
import { createTestLayer, publishLayer } from '../../support/layers.ts'
import { describeServers, type TestServer } from '../../support/server.ts'

let made = 0

const text = 'Zürich "1"\n\\ \u0001\u0002\u0003;,\r\t'
const first = {
  i: 7,
  b: '9007199254740993',
  r: 0.1 + 0.2,
  s: text,
  d: '2020-01-02',
  t: '03:04:05',
  m: '2020-01-02T03:04:05',
}

/** A layer with a field of every type and three features; the third has nothing but its id. */
async function createSample(server: TestServer): Promise<number> {
  made += 1
  return createLayerOf(server, `sample ${made}`, [
    { geom: 'POINT (8.5 47.25)', fields: first },
    { geom: 'POINT(-120 -30)', fields: { i: -7, b: 12, r: 1e300, s: '', d: '1999-12-31' } },
    {},
  ])
}

const types = {
  i: 'integer',
  b: 'integer64',
  r: 'real',
  s: 'string',
  d: 'date',
  t: 'time',
  m: 'dateTime',
}

/** Numbers of a WKT text, rounded: projections there and back lose the last digits. */
function rounded(wkt: string | null | undefined): string {
  return (wkt ?? '').replaceAll(/-?\d+\.?\d*(e-?\d+)?/g, (number) =>
    String(Number(Number(number).toFixed(6))),
  )
}

describeServers('exports of text formats', (start) => {
  const read = async (path: string, headers = {}) => {
    const { admin } = await start()
    const answer = await admin('GET', path, undefined, headers)
    expect(answer.status, await answer.clone().text()).toBe(200)
    return answer
  }

  test('GeoJSON is in degrees with ids, and preserves every value and type', async () => {
    const server = await start()
    const id = await createSample(server)
    const { driver, layers } = await readExport(server.admin, id, 'format=GeoJSON&zipped=false')
    const [layer] = layers
    expect(driver).toBe('GeoJSON')
    expect(layer?.srs).toBe(proj[4326])
    const read = Object.fromEntries(layer?.fields.map(({ name, type }) => [name, type]) ?? [])
    expect(read).toEqual({ ...types, b: 'string' })
    expect(layer?.features.map((feature) => feature.id)).toEqual([1, 2, 3])
    expect(layer?.features.map(({ wkt }) => rounded(wkt))).toEqual([
      'POINT (8.5 47.25)',
      'POINT (-120 -30)',
      '',
    ])
    expect(layer?.features[0]?.values).toMatchObject({ i: 7, b: '9007199254740993', r: 0.1 + 0.2, s: text })
    expect(layer?.features[0]?.values).toMatchObject({ d: '2020 1 2', m: '2020 1 2 3 4 5' })
    expect(layer?.features[2]?.values).toEqual({
      i: null,
      b: null,
      r: null,
      s: null,
      d: null,
      t: null,
      m: null,
    })
  })

  test('GeoJSON in another reference system has a crs member', async () => {
    const server = await start()
    const id = await createSample(server)
    const answer = await read(`/api/resource/${id}/export?format=GeoJSON&zipped=false&srs=3857`)
    const { crs, features } = await answer.json<{ crs: unknown; features: { geometry: object | null }[] }>()
    expect(crs).toEqual({ type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } })
    const [{ geometry } = {}] = features as { geometry?: { coordinates: number[] } }[]
    expect(geometry?.coordinates[0]).toBeCloseTo(946215.67, 1)
  })

  test('a file is zipped unless zipped=false', async () => {
    const server = await start()
    const id = await createSample(server)
    const packed = await read(`/api/resource/${id}/export?format=GeoJSON`)
    expect(packed.headers.get('content-type')).toBe('application/zip')
    expect(fileNameOf(packed)).toBe(`${id}.geojson.zip`)
    const { layers } = await readExport(server.admin, id, 'format=GeoJSON')
    expect(layers[0]?.features).toHaveLength(3)
    for (const word of ['false', 'False', 'no', '0']) {
      const plain = await read(`/api/resource/${id}/export?format=GeoJSON&zipped=${word}`)
      expect(plain.headers.get('content-type')).toBe('application/json')
      expect(fileNameOf(plain)).toBe(`${id}.geojson`)
      expect((await plain.json<{ features: object[] }>()).features).toHaveLength(3)
    }
  })

  test('text formats are compressed only for clients that accept it', async () => {
    const server = await start()
    const id = await createSample(server)
    const path = `/api/resource/${id}/export?format=GeoJSON&zipped=false`
    // The library unpacks what it has asked for itself.
    const packed = await read(path, { 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect(packed.headers.get('vary')).toContain('Accept-Encoding')
    const plain = await read(path, { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await packed.json<unknown>()).toEqual(await plain.json<unknown>())
  })

  test('CSV starts with WKT, quotes strings, and comes with types and reference system in separate files', async () => {
    const server = await start()
    const id = await createSample(server)
    const plain = await read(`/api/resource/${id}/export?format=CSV&zipped=false`)
    expect(plain.headers.get('content-type')).toBe('text/csv')
    const bytes = Buffer.from(await plain.arrayBuffer())
    expect(bytes.subarray(0, 3)).toEqual(Buffer.of(0xef, 0xbb, 0xbf))
    const lines = bytes.subarray(3).toString()
    expect(lines.startsWith('GEOM,i,b,r,s,d,t,m\n"POINT(')).toBe(true)
    expect(lines).toContain(
      `,7,9007199254740993,0.30000000000000004,"${text.replaceAll('"', '""')}",2020-01-02,03:04:05,2020-01-02T03:04:05\n`,
    )
    expect(lines).toContain(',-7,12,1e+300,"",1999-12-31,,\n,,,,,,,\n')
    const { layers } = await readExport(server.admin, id, 'format=CSV')
    const columns = Object.fromEntries(layers[0]?.fields.map(({ name, type }) => [name, type]) ?? [])
    expect(columns).toEqual({ GEOM: 'string', ...types })
    expect(layers[0]?.srs).toContain('+proj=longlat')
    expect(layers[0]?.features.map(({ wkt }) => rounded(wkt))).toEqual([
      'POINT (8.5 47.25)',
      'POINT (-120 -30)',
      '',
    ])
    expect(layers[0]?.features[0]?.values).toMatchObject({
      b: 9007199254740992,
      t: '3 4 5',
      m: '2020 1 2 3 4 5',
    })
  })

  test('CSV for Excel has semicolons and CRLF line ends', async () => {
    const server = await start()
    const id = await createSample(server)
    const answer = await read(`/api/resource/${id}/export?format=CSV_MSEXCEL&zipped=false&fields=i,d`)
    const lines = (await answer.text()).split('\r\n')
    expect(lines).toEqual([
      'GEOM;i;d',
      expect.stringMatching(/^"POINT\(.*\)";7;2020-01-02$/),
      expect.stringMatching(/^"POINT\(.*\)";-7;1999-12-31$/),
      ';;',
      '',
    ])
  })

  test('CSV in CP1251 has one byte per character, and a question mark for unsupported ones', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, {
      name: `encoded ${made++}`,
      geometryType: 'POINT',
      fields: { имя: 'STRING' },
    })
    const path = `/api/resource/${id}/feature/`
    await server.admin('POST', path, { fields: { имя: 'Москва ё 日' } })
    for (const name of ['CP1251', 'windows-1251', '1251']) {
      const answer = await read(`/api/resource/${id}/export?format=CSV&zipped=false&encoding=${name}`)
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(new TextDecoder('windows-1251').decode(bytes)).toBe('GEOM,имя\n,"Москва ё ?"\n')
    }
  })

  test('fields are selected by keyname or id, in the requested order', async () => {
    const server = await start()
    const id = await createSample(server)
    const layer = await (await server.admin('GET', `/api/resource/${id}`)).json<{
      feature_layer: { fields: { id: number; keyname: string }[] }
    }>()
    const real = layer.feature_layer.fields.find(({ keyname }) => keyname === 'r')?.id
    const columns = async (query: string) => {
      const answer = await read(`/api/resource/${id}/export?format=CSV&zipped=false&${query}`)
      return (await answer.text()).split('\n', 1)[0]
    }
    expect(await columns(`fields=s,${real},s`)).toBe('GEOM,s,r')
    expect(await columns('fields=')).toBe('GEOM')
    expect(await columns('fields=i&fid=nr')).toBe('GEOM,nr,i')
    expect(await columns('fields=i&fid=')).toBe('GEOM,i')
  })

  test('fid adds the ids, display_name uses display names', async () => {
    const server = await start()
    const { id } = await (
      await server.admin('POST', '/api/resource/', {
        resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Named' },
        vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' },
        feature_layer: {
          fields: [
            { keyname: 'a', datatype: 'STRING', display_name: 'Name, "long"' },
            { keyname: 'b', datatype: 'STRING', display_name: 'B' },
          ],
        },
      })
    ).json<{ id: number }>()
    await server.admin('POST', `/api/resource/${id}/feature/`, { fields: { a: 'x', b: 'y' } })
    const path = `/api/resource/${id}/export?zipped=false&fid=nr&display_name=true&format=`
    const features = await (await read(`${path}GeoJSON`)).json<{ features: { properties: object }[] }>()
    expect(features.features[0]?.properties).toEqual({ nr: 1, 'Name, "long"': 'x', B: 'y' })
    expect(await (await read(`${path}CSV`)).text()).toBe('GEOM,nr,"Name, ""long""",B\n,1,"x","y"\n')
  })

  test('filters are those of feature lists, with intersects in any reference system', async () => {
    const server = await start()
    const id = await createSample(server)
    const ids = async (query: string) => {
      const answer = await read(`/api/resource/${id}/export?format=GeoJSON&zipped=false&${query}`)
      return (await answer.json<{ features: { id: number }[] }>()).features.map((feature) => feature.id)
    }
    expect(await ids('fld_i=7')).toEqual([1])
    expect(await ids('fld_i__lt=7')).toEqual([2])
    expect(await ids('id__ge=2')).toEqual([2, 3])
    expect(await ids('ilike=ZÜRICH')).toEqual([1])
    const degrees = 'POLYGON((8 47, 9 47, 9 48, 8 48, 8 47))'
    expect(await ids(`intersects=${degrees}&intersects_srs=4326`)).toEqual([1])
    expect(await ids(`intersects=${degrees}`)).toEqual([])
    expect(await ids('bbox=-20000000,-20000000,0,0')).toEqual([2])
  })

  test('/geojson exports the full layer in its own reference system, without ZIP', async () => {
    const server = await start()
    const id = await createSample(server)
    const answer = await read(`/api/resource/${id}/geojson`)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(fileNameOf(answer)).toBe(`${id}.geojson`)
    const { crs, features } = await answer.json<{ crs: object; features: { id: number }[] }>()
    expect(crs).toMatchObject({ properties: { name: 'urn:ogc:def:crs:EPSG::3857' } })
    expect(features.map((feature) => feature.id)).toEqual([1, 2, 3])
  })

  test('HEAD returns name and type of a file', async () => {
    const { admin, ...server } = await start()
    const id = await createSample({ admin, ...server })
    const answer = await admin('HEAD', `/api/resource/${id}/export?format=CSV`)
    expect(answer.status).toBe(200)
    expect(fileNameOf(answer)).toBe(`${id}.csv.zip`)
    expect(answer.headers.get('content-type')).toBe('application/zip')
  })

  test.each([
    ['', 'Parameter "format" is missing'],
    ['format=geojson', 'Parameter "format": expected one of GPKG, GeoJSON'],
    ['format=GeoJSON&srs=999999', 'srs: unknown reference system EPSG:999999'],
    ['format=GeoJSON&srs=x', 'Parameter "srs": expected an integer, got "x"'],
    ['format=KML&srs=3857', 'Parameter "srs" is 3857, but KML is always in EPSG:4326'],
    ['format=GeoJSON&zipped=maybe', 'Parameter "zipped": expected true or false, got "maybe"'],
    ['format=CSV&encoding=KOI8', 'Parameter "encoding" is "KOI8": expected one of UTF-8, CP1251'],
    ['format=GeoJSON&encoding=CP1251', 'Parameter "encoding" is "CP1251", but GeoJSON is always in UTF-8'],
    ['format=GeoJSON&fid=S', 'Parameter "fid" is "S", which is already a field'],
    ['format=GeoJSON&fields=i,x', 'Parameter "fields" has "x", which is not a field of the layer'],
    ['format=GeoJSON&intersects=POINT', 'WKT'],
    ['format=GeoJSON&fld_x=1', 'the layer has no field "x"'],
    ['format=GeoJSON&fld_i=a', 'expected a number'],
  ])('refuses %j with the reason', async (query, message) => {
    const server = await start()
    const id = await createSample(server)
    const answer = await server.admin('GET', `/api/resource/${id}/export?${query}`)
    const refusal = await answer.json<{ message: string }>()
    expect(answer.status).toBe(422)
    expect(refusal.message).toContain(message)
  })

  test('requires permission to read the data, and a layer', async () => {
    const server = await start()
    const id = await createSample(server)
    const path = `/api/resource/${id}/export?format=GeoJSON&zipped=false`
    expect((await server.guest('GET', path)).status).toBe(403)
    await publishLayer(server.database, id)
    expect((await server.guest('GET', path)).status).toBe(200)
    expect((await server.admin('GET', '/api/resource/0/export?format=GeoJSON')).status).toBe(404)
  })

  test('an empty layer is exported as a file without features', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, { name: `empty ${made++}`, geometryType: 'POINT' })
    expect(await (await read(`/api/resource/${id}/geojson`)).json<object>()).toMatchObject({ features: [] })
    const answer = await read(`/api/resource/${id}/export?format=CSV&zipped=false`)
    expect((await answer.text()).replace('\ufeff', '')).toBe('GEOM\n')
    await server.admin('POST', `/api/resource/${id}/feature/`, {})
    const one = await read(`/api/resource/${id}/export?format=CSV&zipped=false`)
    expect((await one.text()).replace('\ufeff', '')).toBe('GEOM\n""\n')
  })
})
