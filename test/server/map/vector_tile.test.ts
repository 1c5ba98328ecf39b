import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { expect, test } from 'vitest'
import { createTestLayer, everyDatatype, publishLayer } from '../../support/layers.ts'
import { readPicture } from '../../support/picture.ts'
import { type Ask, describeServers, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

const half = 20_037_508.342789244
const mvt = '/api/component/feature_layer/mvt'

let names = 0

async function createLayer(
  server: TestServer,
  layer: Partial<Parameters<typeof createTestLayer>[1]>,
  features: readonly object[],
): Promise<number> {
  names += 1
  const id = await createTestLayer(server.database, {
    name: `tiled ${names}`,
    geometryType: 'POINT',
    ...layer,
  })
  const answer = await server.admin('PATCH', `/api/resource/${id}/feature/?dt_format=iso`, features)
  if (answer.status !== 200) throw new Error(await answer.text())
  return id
}

async function readTile(ask: Ask, query: string) {
  const answer = await ask('GET', `${mvt}?${query}`)
  expect(answer.status, answer.status === 200 ? '' : await answer.clone().text()).toBe(200)
  expect(answer.headers.get('content-type')).toBe('application/vnd.mapbox-vector-tile')
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const { layers } = new VectorTile(new PbfReader(bytes))
  const features = (name: string) =>
    Array.from({ length: layers[name]?.length ?? 0 }, (_, at) => {
      const feature = layers[name]?.feature(at)
      const rings = feature?.loadGeometry().map((ring) => ring.map(({ x, y }) => [x, y]))
      return { id: feature?.id, type: feature?.type, properties: feature?.properties, rings }
    })
  return { layers, features, bytes }
}

describeServers('vector tiles', (start) => {
  test('contain ids, attributes of every type except nulls, and positions in tile units', async () => {
    const server = await start()
    const values = { i: -5, b: '9007199254740993', r: 0.5, s: 'Ω', d: '2020-01-02', t: '03:04:05' }
    const id = await createLayer(server, { fields: everyDatatype }, [
      { geom: `POINT(0 ${half / 2})`, fields: { ...values, m: '2020-01-02T03:04:05' } },
      { geom: `POINT(${half / 2} 0)`, fields: { b: 12 } },
      { fields: { i: 1 } },
    ])
    const tile = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}`)
    expect(Object.keys(tile.layers)).toEqual([`svc:${id}`])
    expect(tile.layers[`svc:${id}`]).toMatchObject({ version: 2, extent: 4096 })
    expect(tile.features(`svc:${id}`)).toEqual([
      { id: 1, type: 1, properties: { ...values, m: '2020-01-02T03:04:05' }, rings: [[[2048, 1024]]] },
      { id: 2, type: 1, properties: { b: 12 }, rings: [[[3072, 2048]]] },
    ])
    const closer = await readTile(server.admin, `z=1&x=1&y=0&resource=${id}&extent=512&padding=0`)
    expect(closer.features(`svc:${id}`)).toMatchObject([
      { id: 1, rings: [[[0, 256]]] },
      { id: 2, rings: [[[256, 512]]] },
    ])
  })

  test('contain several layers in the requested order, with names of the dialect', async () => {
    const server = await start()
    const one = await createLayer(server, {}, [{ geom: 'POINT(0 0)' }])
    const two = await createLayer(server, { geometryType: 'LINESTRING' }, [
      { geom: `LINESTRING(0 0,${half} 0)` },
    ])
    const query = `z=0&x=0&y=0&resource=${two},${one}`
    expect(Object.keys((await readTile(server.admin, query)).layers)).toEqual([`svc:${two}`, `svc:${one}`])
    const answer = await server.admin('GET', `${mvt}?${query}`, undefined, { 'x-api-dialect': 'ngw' })
    const { layers } = new VectorTile(new PbfReader(new Uint8Array(await answer.arrayBuffer())))
    expect(Object.keys(layers)).toEqual([`ngw:${two}`, `ngw:${one}`])
    const old = await server.admin('GET', `/api/resource/${one}/0/0/0.mvt`)
    expect(old.status).toBe(200)
  })

  test('clip geometries to the box with its margin, and preserve the winding of polygons', async () => {
    const server = await start()
    const wide = `POLYGON((-${half} -${half},-${half} ${half},${half} ${half},${half} -${half},-${half} -${half}))`
    const id = await createLayer(server, { geometryType: 'POLYGON' }, [{ geom: wide }])
    const { features } = await readTile(server.admin, `z=3&x=4&y=4&resource=${id}`)
    const [feature] = features(`svc:${id}`)
    const corners = feature?.rings?.[0] ?? []
    expect(new Set(corners.map(String))).toEqual(
      new Set(['-205,-205', '4301,-205', '4301,4301', '-205,4301']),
    )
    const area = corners.reduce((sum, [x = 0, y = 0], at) => {
      const [nextX = 0, nextY = 0] = corners[(at + 1) % corners.length] ?? []
      return sum + x * nextY - nextX * y
    }, 0)
    expect(area).toBeGreaterThan(0)
  })

  test('are simplified within the tolerance, and not with simplification 0', async () => {
    const server = await start()
    const unit = (2 * half) / 4096
    const zigzag = Array.from({ length: 101 }, (_, at) => `${at * 10 * unit} ${at % 2 === 0 ? 0 : 5 * unit}`)
    const id = await createLayer(server, { geometryType: 'LINESTRING' }, [
      { geom: `LINESTRING(${zigzag.join()})` },
    ])
    const count = async (simplification: string) => {
      const tile = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}${simplification}`)
      return tile.features(`svc:${id}`)[0]?.rings?.[0]?.length
    }
    expect(await count('')).toBe(2)
    expect(await count('&simplification=2')).toBe(101)
    expect(await count('&simplification=0')).toBe(101)
  })

  test('thin points to the last one of each cell, and keep all with simplification 0', async () => {
    const server = await start()
    const unit = (2 * half) / 4096
    const points = Array.from({ length: 64 }, (_, at) => ({
      geom: `POINT(${(64 - at) * 8 * unit} ${-unit / 2})`,
    }))
    const id = await createLayer(server, {}, points)
    const ids = async (query: string) => {
      const tile = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}${query}`)
      return tile.features(`svc:${id}`).map((feature) => feature.id)
    }
    // Cells are 64 units wide on this level. Point 1 stands at unit 512, the first of a cell of its own.
    expect(await ids('')).toEqual([1, 9, 17, 25, 33, 41, 49, 57, 64])
    expect(await ids('&simplification=32')).toEqual([1, 33, 64])
    expect(await ids('&simplification=0')).toEqual(Array.from({ length: 64 }, (_, at) => at + 1))
  })

  test('name the symbols of a style that draw each feature as the server draws it', async () => {
    const server = await start()
    const features = ['a', 'b', 'c', null, 'a'].map((kind, at) => ({
      geom: `POINT(${(at - 2) * (half / 3)} ${half / 2})`,
      fields: { kind },
    }))
    const id = await createLayer(server, { fields: { kind: 'STRING' } }, features)
    const rule = (value: string, color: string, limits = '') =>
      `<class><expression>${value}</expression>${limits}<style><color>${color}</color><size>9</size></style></class>`
    const hidden = rule('c', '#00ff00', '<maxscaledenom>1000</maxscaledenom>')
    const xml = `<map><layer><classitem>kind</classitem>${rule('a', '#ff0000')}${rule('b', '#0000ff')}${hidden}</layer></map>`
    const style = await createResource(server.admin, {
      ...{ cls: 'mapsrv_style', parent: id, name: `classes of ${id}` },
      members: { mapsrv_style: { xml } },
    })
    const tile = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}&style=${style}`)
    const picture = await readPicture(
      server.admin,
      `/api/component/render/tile?z=0&x=0&y=0&resource=${style}`,
    )
    const drawn = tile.features(`svc:${id}`).map(({ rings, properties }) => {
      const [x = 0, y = 0] = rings?.[0]?.[0] ?? []
      return [properties?.style_class, picture.at(Math.floor(x / 16), Math.floor(y / 16)).join()]
    })
    const [red, blue, none] = ['255,0,0,255', '0,0,255,255', '0,0,0,0']
    expect(drawn).toEqual([
      ['0', red],
      ['1', blue],
      [undefined, none],
      [undefined, none],
      ['0', red],
    ])
    const refusal = async (styles: string) =>
      (await server.admin('GET', `${mvt}?z=0&x=0&y=0&resource=${id}&style=${styles}`)).text()
    expect(await refusal(`${id}`)).toContain('is not a style of a layer of the tile')
    expect(await refusal(`${style},${style}`)).toContain('more than one style in the list')
    expect(await refusal('999999')).toContain('resource/not-found')
  })

  test('thin dense points consistently: each zoom level contains the points of the previous one', async () => {
    const server = await start()
    const cell = (2 * half) / 64
    // No two numbers of the sequence are near, and no position is on the edge of a cell.
    const places = Array.from({ length: 3000 }, (_, at) => ({
      x: ((at * 0.618_033_988_7) % 1) * half * 0.72,
      y: ((at * 0.754_877_666_2) % 1) * half * 0.72,
    }))
    const id = await createLayer(
      server,
      {},
      places.map(({ x, y }) => ({ geom: `POINT(${x} ${y})` })),
    )
    const read = async (address: string) => {
      const tile = await readTile(server.admin, `${address}&resource=${id}&padding=0&extent=4096`)
      return tile.features(`svc:${id}`).map((feature) => feature.id ?? 0)
    }
    const last = new Map<string, number>()
    for (const [at, { x, y }] of places.entries()) {
      const key = `${Math.floor(x / cell)} ${Math.floor(-y / cell)}`
      last.set(key, at + 1)
    }
    const world = await read('z=0&x=0&y=0')
    expect(world).toEqual([...last.values()].sort((a, b) => a - b))
    const closer = await read('z=1&x=1&y=0')
    expect(closer.length).toBeGreaterThan(world.length)
    expect(world.filter((known) => !closer.includes(known))).toEqual([])
  })

  test('thin small geometries to one per cell, drawn as its box, and keep large ones', async () => {
    const server = await start()
    const unit = (2 * half) / 4096
    const square = (x: number, side: number) => {
      const [left, right, up] = [x * unit, (x + side) * unit, side * unit]
      return { geom: `POLYGON((${left} 0,${right} 0,${right} ${up},${left} ${up},${left} 0))` }
    }
    const polygons = [square(2.25, 0.5), square(1, 0.01), square(3, 20), square(4, 20)]
    const id = await createLayer(server, { geometryType: 'POLYGON' }, polygons)
    const { features } = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}`)
    expect(features(`svc:${id}`).map((feature) => feature.id)).toEqual([1, 3, 4])
    const corners = features(`svc:${id}`)[0]?.rings?.[0]?.map(String)
    expect(new Set(corners)).toEqual(new Set(['2050,2047', '2051,2047', '2051,2049', '2050,2049']))
    const lines = [1, 2].map((x) => ({ geom: `LINESTRING(${x * unit} 0,${x * unit} ${unit / 9})` }))
    const short = await createLayer(server, { geometryType: 'LINESTRING' }, lines)
    const drawn = (await readTile(server.admin, `z=0&x=0&y=0&resource=${short}`)).features(`svc:${short}`)
    expect(drawn.map((feature) => [feature.id, feature.rings?.[0]?.length])).toEqual([[2, 2]])
  })

  test('contain one position of small multipoints, and all of large ones', async () => {
    const server = await start()
    const id = await createLayer(server, { geometryType: 'MULTIPOINT' }, [
      { geom: 'MULTIPOINT(1 -1,2 -2)' },
      { geom: `MULTIPOINT(1 -1,${half / 2} ${half / 2},1 -1)` },
    ])
    const { features } = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}`)
    expect(features(`svc:${id}`).map(({ rings }) => new Set(rings?.map(String)))).toEqual([
      new Set(['2048,2048']),
      new Set(['2048,2048', '3072,1024']),
    ])
  })

  test('draw invalid geometries, geometries with Z, and geometries beyond the square world', async () => {
    const server = await start()
    const corners = [
      `-${half} -${half}`,
      `${half} ${half}`,
      `${half} -${half / 2}`,
      `-${half} ${half}`,
      `-${half} -${half}`,
    ]
    const tie = `POLYGON Z ((${corners.map((corner) => `${corner} 7`).join()}))`
    const id = await createLayer(server, { geometryType: 'MULTIPOLYGONZ' }, [{ geom: tie }])
    for (const address of ['z=0&x=0&y=0', 'z=3&x=1&y=4', 'z=4&x=14&y=6']) {
      expect((await readTile(server.admin, `${address}&resource=${id}`)).features(`svc:${id}`)).toHaveLength(
        1,
      )
    }
    const world = [{ geom: 'POLYGON((-180 -90,180 -90,180 90,-180 90,-180 -90))' }]
    const degrees = await createLayer(server, { geometryType: 'POLYGON', srs: 4326 }, world)
    for (const address of ['z=0&x=0&y=0', 'z=5&x=0&y=31', 'z=5&x=31&y=0']) {
      expect(
        (await readTile(server.admin, `${address}&resource=${degrees}`)).features(`svc:${degrees}`),
      ).toHaveLength(1)
    }
  })

  test('have at most half a megabyte, unless thinning is disabled', async () => {
    const server = await start()
    const fields = { s: 'STRING' } as const
    const side = 75
    const features = Array.from({ length: side * side }, (_, at) => ({
      geom: `POINT(${((at % side) / side - 0.5) * half} ${(Math.floor(at / side) / side - 0.5) * half})`,
      fields: { s: `${at}`.padEnd(150, 'x') },
    }))
    const id = await createLayer(server, { fields }, features)
    const thinned = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}`)
    expect(thinned.bytes.length).toBeLessThan(500_000)
    expect(thinned.features(`svc:${id}`).length).toBeGreaterThan(500)
    const whole = await readTile(server.admin, `z=0&x=0&y=0&resource=${id}&simplification=0`)
    expect(whole.features(`svc:${id}`)).toHaveLength(side * side)
  })

  test('are 204 if they are empty, and change after a write', async () => {
    const server = await start()
    const id = await createLayer(server, { fields: { n: 'INTEGER' } }, [
      { geom: 'POINT(1 1)', fields: { n: 1 } },
    ])
    expect((await server.admin('GET', `${mvt}?z=4&x=0&y=0&resource=${id}`)).status).toBe(204)
    const query = `z=4&x=8&y=7&resource=${id}`
    const before = await readTile(server.admin, query)
    await server.admin('PUT', `/api/resource/${id}/feature/1`, { fields: { n: 2 } })
    const after = await readTile(server.admin, query)
    expect(before.features(`svc:${id}`)[0]?.properties).toEqual({ n: 1 })
    expect(after.features(`svc:${id}`)[0]?.properties).toEqual({ n: 2 })
  })

  test('contain a field in its new type, whatever tiles were created before', async () => {
    const server = await start()
    const features = [{ geom: 'POINT(1 1)', fields: { n: 7 } }]
    const id = await createLayer(server, { fields: { n: 'INTEGER' } }, features)
    const readAll = async () => {
      const found = new Set<unknown>()
      for (let z = 1; z < 12; z += 1) {
        const tile = await readTile(
          server.admin,
          `z=${z}&x=${2 ** (z - 1)}&y=${2 ** (z - 1) - 1}&resource=${id}`,
        )
        found.add(tile.features(`svc:${id}`)[0]?.properties?.n)
      }
      return [...found]
    }
    expect(await readAll()).toEqual([7])
    const fields = [{ keyname: 'n', datatype: 'STRING' }]
    const changed = await server.admin('PUT', `/api/resource/${id}`, { feature_layer: { fields } })
    expect(changed.status).toBe(200)
    expect(await readAll()).toEqual(['7'])
  })

  test('have an ETag, and are compressed for clients that accept it', async () => {
    const server = await start()
    const features = Array.from({ length: 300 }, (_, at) => ({ geom: `POINT(${at * 50_000} 0)` }))
    const id = await createLayer(server, {}, features)
    const path = `${mvt}?z=0&x=0&y=0&resource=${id}&simplification=1`
    const plain = await server.admin('GET', path, undefined, { 'accept-encoding': 'identity' })
    const etag = plain.headers.get('etag') ?? ''
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('cache-control')).toBe('private, no-cache')
    const packed = await server.admin('GET', path, undefined, { 'accept-encoding': 'gzip;q=0.5' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    const bytes = await plain.arrayBuffer()
    expect(await packed.arrayBuffer()).toEqual(bytes)
    for (const accepted of ['gzip, br', 'br;q=0.1', 'deflate, BR']) {
      const best = await server.admin('GET', path, undefined, { 'accept-encoding': accepted })
      expect(best.headers.get('content-encoding')).toBe('br')
      expect(await best.arrayBuffer()).toEqual(bytes)
    }
    const refused = await server.admin('GET', path, undefined, { 'accept-encoding': 'gzip;q=0, br;q=0.0' })
    expect(refused.headers.get('content-encoding')).toBeNull()
    const known = await server.admin('GET', path, undefined, { 'if-none-match': `"x", W/${etag}` })
    expect(known.status).toBe(304)
    expect(known.headers.get('etag')).toBe(etag)
    await server.admin('DELETE', `/api/resource/${id}/feature/300`)
    const changed = await server.admin('GET', path, undefined, { 'if-none-match': etag })
    expect(changed.status).toBe(200)
  })

  test('require the permission to read data on each layer', async () => {
    const server = await start()
    const [open, closed] = [await createLayer(server, {}, [{}]), await createLayer(server, {}, [{}])]
    await publishLayer(server.database, open)
    const ask = async (ids: string) =>
      (await server.guest('GET', `${mvt}?z=0&x=0&y=0&resource=${ids}`)).status
    expect(await ask(`${open}`)).toBe(204)
    expect(await ask(`${closed}`)).toBe(403)
    expect(await ask(`${open},${closed}`)).toBe(403)
    expect(await ask('99999')).toBe(404)
    expect((await server.guest('GET', `/api/resource/${closed}/0/0/0.mvt`)).status).toBe(403)
  })

  test.each([
    ['z=0&x=0&y=0', 'resource'],
    ['x=0&y=0&resource=ID', 'z'],
    ['z=0&x=1&y=0&resource=ID', '1/0'],
    ['z=25&x=0&y=0&resource=ID', 'z'],
    ['z=0&x=0&y=-1&resource=ID', 'y'],
    ['z=0&x=0&y=0&resource=ID&simplification=-1', 'simplification'],
    ['z=0&x=0&y=0&resource=a', 'resource'],
    [`z=0&x=0&y=0&resource=${Array.from({ length: 1000 }, () => 'ID').join()}`, 'resource'],
  ])('refuse %s', async (query, word) => {
    const server = await start()
    const id = await createLayer(server, {}, [])
    const answer = await server.admin('GET', `${mvt}?${query.replaceAll('ID', String(id))}`)
    expect(answer.status).toBe(422)
    // The path of one layer has no negative numbers.
    const place = /^z=(.*)&x=(.*)&y=(\d+)&resource=ID$/.exec(query)
    if (place !== null)
      expect((await server.admin('GET', `/api/resource/${id}/${place.slice(1).join('/')}.mvt`)).status).toBe(
        422,
      )
    expect((await answer.json<{ message: string }>()).message).toContain(word)
  })

  test('a resource without features is refused by name', async () => {
    const server = await start()
    const group = await createResource(server.admin, { cls: 'resource_group', name: `group ${names}` })
    const answer = await server.admin('GET', `${mvt}?z=0&x=0&y=0&resource=${group}`)
    expect([answer.status, (await answer.json<{ message: string }>()).message]).toEqual([
      404,
      `Resource with id = ${group} is a "Resource group", which has no "data".`,
    ])
  })
})
