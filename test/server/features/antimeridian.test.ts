import { expect, test } from 'vitest'
import { imagePath, readPicture } from '../../support/picture.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'
import { publish } from '../../support/wfs.ts'

const half = 20_037_508.342789244

/** Corners of a box from longitude 170 to 190, in the copy of the world that begins `turns` later. */
const corners = (turns = 0) =>
  [
    [170, 50],
    [190, 50],
    [190, 60],
    [170, 60],
    [170, 50],
  ].map(([x = 0, y = 0]) => [x + 360 * turns, y] as const)

const list = (positions: readonly (readonly [number, number])[], separator: string, gap: string) =>
  positions.map((position) => position.join(separator)).join(gap)
const wkt = (turns = 0) => `POLYGON((${list(corners(turns), ' ', ',')}))`
const geojson = (crs: object, turns = 0) =>
  JSON.stringify({
    type: 'FeatureCollection',
    ...crs,
    features: [
      {
        type: 'Feature',
        properties: {},
        geometry: { type: 'Polygon', coordinates: [corners(turns)] },
      },
    ],
  })
const named = (name: string) => ({ crs: { type: 'name', properties: { name } } })
const gml = (srs: string) =>
  `<ogr:FeatureCollection xmlns:ogr="http://ogr.maptools.org/" xmlns:gml="http://www.opengis.net/gml"><gml:featureMember><ogr:a fid="a.0"><ogr:geometryProperty><gml:Polygon srsName="${srs}"><gml:outerBoundaryIs><gml:LinearRing><gml:coordinates>${list(corners(), ',', ' ')}</gml:coordinates></gml:LinearRing></gml:outerBoundaryIs></gml:Polygon></ogr:geometryProperty></ogr:a></gml:featureMember></ogr:FeatureCollection>`
const kml = `<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><Polygon><outerBoundaryIs><LinearRing><coordinates>${list(corners(), ',', ' ')}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>`

const transaction = `<wfs:Transaction service="WFS" version="1.1.0" xmlns:wfs="http://www.opengis.net/wfs" xmlns:gml="http://www.opengis.net/gml"><wfs:Insert><areas><geom><gml:Polygon srsName="EPSG:4326"><gml:exterior><gml:LinearRing><gml:posList>${list(corners(), ' ', ' ')}</gml:posList></gml:LinearRing></gml:exterior></gml:Polygon></geom></areas></wfs:Insert></wfs:Transaction>`

const sources = [
  ['GeoJSON', 'a.geojson', geojson({})],
  ['GeoJSON beyond -180', 'a.geojson', geojson({}, -1)],
  ['GeoJSON in another datum', 'a.geojson', geojson(named('urn:ogc:def:crs:EPSG::4284'))],
  ['GML', 'a.gml', gml('EPSG:4326')],
  ['GML in another datum', 'a.gml', gml('EPSG:4284')],
  ['KML', 'a.kml', kml],
  ['CSV', 'a.csv', `WKT,name\n"${wkt()}",a\n`],
] as const

interface Feature {
  readonly geom: { readonly type: string; readonly coordinates: number[][][][] } | string
}

describeServer('a polygon from 170 to 190 degrees', (start) => {
  let count = 0
  const createEmpty = (server: TestServer, srs: number, geometryType = 'MULTIPOLYGON') => {
    count += 1
    const members = { vector_layer: { srs: { id: srs }, geometry_type: geometryType, fields: [] } }
    return createLayer(server.admin, { name: `areas ${count}`, geometryType: 'MULTIPOLYGON', members })
  }

  /** Expects the polygon on both sides of the antimeridian, and nowhere else. */
  const expectOnBothSides = async ({ admin }: TestServer, layer: number) => {
    const path = `/api/resource/${layer}/feature/?srs=4326&geom_format=geojson`
    const [feature] = await (await admin('GET', path)).json<Feature[]>()
    const { geom } = feature ?? {}
    if (typeof geom !== 'object') throw new Error(`no geometry: ${geom}`)
    const ranges = geom.coordinates.map(([ring = []]) => {
      const longitudes = ring.map(([x = 0]) => Math.round(x * 100) / 100)
      return [Math.min(...longitudes), Math.max(...longitudes)]
    })
    expect(geom.type).toBe('MultiPolygon')
    expect(ranges.sort()).toEqual([
      [-180, -170],
      [170, 180],
    ])
    // A pixel is 10 degrees wide. The outline reaches into the next one.
    const picture = await readPicture(admin, imagePath(layer, [-half, 6_500_000, half, 8_300_000], [36, 1]))
    const drawn = Array.from({ length: 36 }, (_, x) => (picture.at(x, 0)[3] ?? 0) > 0)
    expect(drawn.flatMap((isDrawn, x) => (isDrawn ? [x] : []))).toEqual([0, 1, 34, 35])
  }

  const load = async ({ admin }: TestServer, [name, content]: readonly [string, string], rules: object) => {
    count += 1
    const source = { ...(await uploadContent(admin, content)), name }
    return createResource(admin, {
      cls: 'vector_layer',
      parent: 0,
      name: `areas ${count}`,
      members: { vector_layer: { source, srs: { id: 3857 }, ...rules } },
    })
  }

  test.each(sources)('is loaded from %s in two parts', async (_, name, content) => {
    const server = await start()
    for (const rules of [{}, { fix_errors: 'SAFE' }])
      await expectOnBothSides(server, await load(server, [name, content], rules))
  })

  test('does not fit into a layer of single polygons', async () => {
    const server = await start()
    const loading = load(server, ['a.geojson', geojson({})], { cast_is_multi: false })
    await expect(loading).rejects.toThrow('1 feature cannot be loaded')
    const layer = await createEmpty(server, 3857, 'POLYGON')
    const answer = await server.admin('POST', `/api/resource/${layer}/feature/?srs=4326`, { geom: wkt() })
    expect(answer.status).toBe(422)
    expect((await answer.json<{ message: string }>()).message).toContain(
      'the geometry crosses the antimeridian and has 2 parts there; the layer has the type POLYGON',
    )
    // In the next copy of the world it has one part.
    const inOne = { geom: 'POLYGON((350 0,370 0,370 10,350 0))' }
    expect((await server.admin('POST', `/api/resource/${layer}/feature/?srs=4326`, inOne)).status).toBe(200)
  })

  test.each([3857, 4326])('is written to a layer in EPSG:%i in two parts', async (srs) => {
    const server = await start()
    for (const turns of [0, -1]) {
      const layer = await createEmpty(server, srs)
      const path = `/api/resource/${layer}/feature/?srs=4326`
      expect((await server.admin('POST', path, { geom: wkt(turns) })).status).toBe(200)
      await expectOnBothSides(server, layer)
    }
  })

  test('is written by a WFS transaction in two parts, found there and exported', async () => {
    const server = await start()
    const layer = await createEmpty(server, 3857)
    const { path } = await publish(server.admin, 'Areas', {
      layers: [{ keyname: 'areas', display_name: 'Areas', resource_id: layer }],
    })
    const answer = await server.admin('POST', path, transaction)
    expect(await answer.text()).toContain('<wfs:totalInserted>1</wfs:totalInserted>')
    await expectOnBothSides(server, layer)
    const find = async (query: string) =>
      (await (await server.admin('GET', `/api/resource/${layer}/feature/?${query}`)).json<unknown[]>()).length
    const beside = encodeURIComponent(
      'POLYGON((20100000 6800000,20200000 6800000,20200000 6900000,20100000 6800000))',
    )
    expect(await find(`intersects=${beside}`)).toBe(1)
    expect(await find(`bbox=${half + 1e5},6800000,${half + 2e5},6900000`)).toBe(1)
    expect(await find(`bbox=${half - 4e6},6800000,${half - 3e6},6900000`)).toBe(0)
    const exported = await server.admin(
      'GET',
      `/api/resource/${layer}/export?format=GeoJSON&srs=4326&zipped=false`,
    )
    const numbers = (await exported.text()).matchAll(/\[(-?[\d.]+),/g)
    expect([...numbers].map(([, x]) => Math.abs(Number(x))).every((x) => x >= 169.99 && x <= 180)).toBe(true)
  })
})
