import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { readImageFeatures } from '../../../src/render/image/image_features.ts'
import { findLayers } from '../../../src/store/layer/stored_layer.ts'
import { createGeneratedLayer, createTestLayer } from '../../support/layers.ts'
import { namedSymbol, qml, symbolLayer } from '../../support/qml.ts'
import { uploadContent } from '../../support/samples.ts'
import { describeServer, type TestServer } from '../../support/server.ts'
import { createResource } from '../../support/tree.ts'

/** A layer of towns at one place, of which the one in the middle of the list is large. */
async function createTowns(server: TestServer, name: string, count: number): Promise<number> {
  const id = await createTestLayer(server.database, {
    name,
    geometryType: 'POINT',
    fields: { kind: 'STRING', people: 'INTEGER' },
  })
  const large = Math.floor(count / 2)
  const features = Array.from({ length: count }, (_, at) => ({
    geom: `POINT(${10_000 + (at % 7)} 10000)`,
    fields:
      at === large
        ? { kind: 'city', people: 900 }
        : { kind: 'town', people: at % 5 === 0 ? null : 100 + (at % 3) },
  }))
  const answer = await server.admin('PATCH', `/api/resource/${id}/feature/`, features)
  expect(answer.status).toBe(200)
  return id
}

const dot = (name: string, color: string) =>
  namedSymbol(
    name,
    'marker',
    symbolLayer('SimpleMarker', {
      name: 'square',
      color,
      size: '8',
      size_unit: 'Pixel',
      outline_style: 'no',
    }),
  )

const townStyle = qml(
  'type="categorizedSymbol" attr="kind" enableorderby="1"',
  `<categories><category value="city" symbol="0" label="" render="true"/><category value="town" symbol="1" label="" render="true"/></categories>
  <symbols>${dot('0', '255,0,0,255')}${dot('1', '0,0,255,255')}</symbols>
  <orderby><orderByClause asc="1" nullsFirst="1">"people"</orderByClause></orderby>`,
)

async function colorAt(server: TestServer, style: number): Promise<number[]> {
  const answer = await server.admin('GET', `/api/component/render/tile?z=0&x=0&y=0&resource=${style}`)
  expect(answer.status).toBe(200)
  const { data } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return [...data.subarray(4 * (127 * 256 + 128), 4 * (127 * 256 + 128) + 4)]
}

async function readTowns(server: TestServer, query: string) {
  const answer = await server.admin('GET', `/api/component/feature_layer/mvt?z=0&x=0&y=0&${query}`)
  if (answer.status !== 200)
    return { status: answer.status, message: (await answer.json<{ message: string }>()).message }
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(await answer.arrayBuffer())))
  const [layer] = Object.values(layers)
  return Array.from({ length: layer?.length ?? 0 }, (_, at) => layer?.feature(at).properties.people ?? null)
}

// Few features are thinned by the server, many by the database.
const counts = { few: 60, many: 1600 }

describeServer('thinning', (start) => {
  test.each(Object.entries(counts))(
    'of %s points keeps the one that the order of drawing of the style puts on top',
    async (name, count) => {
      const server = await start()
      const layer = await createTowns(server, `drawn ${name}`, count)
      const file_upload = await uploadContent(server.admin, townStyle)
      const members = { desk_vector_style: { file_upload } }
      const style = await createResource(server.admin, {
        cls: 'desk_vector_style',
        parent: layer,
        name,
        members,
      })
      expect(await colorAt(server, style)).toEqual([255, 0, 0, 255])
    },
  )

  test('does not count features that no class draws at the scale, but those without a value', async () => {
    const server = await start()
    const layer = await createTowns(server, 'classes', counts.many)
    const lonely = await createTowns(server, 'lonely', 0)
    await server.admin('PATCH', `/api/resource/${lonely}/feature/`, [
      { geom: 'POINT(10000 10000)', fields: {} },
    ])
    const classOf = (condition: string, color: string, limit = '') =>
      `<class><expression>([people] ${condition})</expression>${limit}<style><symbol>std:rectangle</symbol><size>8</size>${color}</style></class>`
    const [red, blue] = ['<color red="255" green="0" blue="0"/>', '<color red="0" green="0" blue="255"/>']
    const near = '<maxscaledenom>1000</maxscaledenom>'
    const styleOf = (parent: number, name: string, ...classes: readonly string[]) => {
      const members = { mapsrv_style: { xml: `<map><layer>${classes.join('')}</layer></map>` } }
      return createResource(server.admin, { cls: 'mapsrv_style', parent, name, members })
    }
    const large = [classOf('&gt;= 500', red), classOf('&gt;= 0', blue, near)]
    expect(await colorAt(server, await styleOf(layer, 'large', ...large))).toEqual([255, 0, 0, 255])
    const small = [classOf('&lt; 500', blue), classOf('&gt;= 500', red, near)]
    expect(await colorAt(server, await styleOf(layer, 'small', ...small))).toEqual([0, 0, 255, 255])
    expect(await colorAt(server, await styleOf(lonely, 'lonely', ...small))).toEqual([0, 0, 255, 255])
    const none = await styleOf(layer, 'none', classOf('&gt;= 0', blue, near))
    expect(await colorAt(server, none)).toEqual([0, 0, 0, 0])
  })

  test('does not count features that no class draws at any scale', async () => {
    const server = await start()
    const layer = await createTowns(server, 'few', counts.many)
    const styleOf = (name: string, ...classes: readonly string[]) => {
      const members = { mapsrv_style: { xml: `<map><layer>${classes.join('')}</layer></map>` } }
      return createResource(server.admin, { cls: 'mapsrv_style', parent: layer, name, members })
    }
    const classOf = (expression: string, blue: number, size = 8) =>
      `<class><expression>${expression}</expression><style><symbol>std:rectangle</symbol><size>${size}</size><color red="${255 - blue}" green="0" blue="${blue}"/></style></class>`
    const red = [255, 0, 0, 255]
    expect(await colorAt(server, await styleOf('high', classOf('([people] &gt;= 500)', 0)))).toEqual(red)
    expect(await colorAt(server, await styleOf('city', classOf('("[kind]" = "city")', 0)))).toEqual(red)
    // Of features that are drawn, those with the larger symbol.
    const sized = [classOf('([people] &gt;= 500)', 0, 12), classOf('([people] &lt; 500)', 255, 4)]
    expect(await colorAt(server, await styleOf('sized', ...sized))).toEqual(red)
    const kinds = [classOf('("[kind]" = "city")', 0, 12), classOf('("[kind]" = "town")', 255, 4)]
    expect(await colorAt(server, await styleOf('kinds', ...kinds))).toEqual(red)
  })

  test('of many polygons leaves no part of an area empty, at any number of polygons a pixel', async () => {
    const server = await start()
    const [x, y] = ['100 * ((n - 1) % 320)', '100 * ((n - 1) / 320)']
    const geometry = `ST_MakeEnvelope(${x}, ${y}, ${x} + 100, ${y} + 100)`
    const content = { geometryType: 'POLYGON', count: 320 * 320, geometry } as const
    const id = await createGeneratedLayer(server.database, content)
    const style =
      '<map><layer><class><style><color red="255" green="0" blue="0"/></style></class></layer></map>'
    const members = { mapsrv_style: { xml: style } }
    const drawn = await createResource(server.admin, {
      cls: 'mapsrv_style',
      parent: id,
      name: 'red',
      members,
    })
    for (const size of [320, 160, 80]) {
      const query = `extent=0,0,32000,32000&size=${size},${size}&resource=${drawn}`
      const answer = await server.admin('GET', `/api/component/render/image?${query}`)
      expect(answer.status).toBe(200)
      const { data } = await sharp(Buffer.from(await answer.arrayBuffer()))
        .ensureAlpha()
        .extractChannel(3)
        .raw()
        .toBuffer({ resolveWithObject: true })
      expect(data.findIndex((alpha) => alpha < 250)).toBe(-1)
    }
  })

  test('of points depends on the pixels, not on the size of the image', async () => {
    const server = await start()
    const geometry = 'ST_MakePoint(2 * (n % 280) + 1, 2 * (n / 280) + 1)'
    const content = { geometryType: 'POINT', count: 280 * 280 + 1, geometry } as const
    const id = await createGeneratedLayer(server.database, content)
    const layer = (await findLayers(server.database, [id])).get(id)
    if (layer === undefined) throw new Error('no layer')
    const frame = { box: [0, 0, 600, 600], width: 600, height: 600 } as const
    const { ids } = await readImageFeatures(server.database, layer, { frame, reach: 0, fields: [] })
    expect(ids).toHaveLength(280 * 280 + 1)
  })

  test.each(Object.entries(counts))(
    'of %s points in vector tiles keeps the highest or lowest value of a field, never null',
    async (name, count) => {
      const server = await start()
      const id = await createTowns(server, `tiled ${name}`, count)
      expect(await readTowns(server, `resource=${id}&thin_by=people`)).toEqual([900])
      expect(await readTowns(server, `resource=${id}&thin_by=-people`)).toEqual([100])
      expect(await readTowns(server, `resource=${id}`)).toHaveLength(1)
    },
  )

  test('in vector tiles by a field that no layer has, or of strings, is refused', async () => {
    const server = await start()
    const id = await createTowns(server, 'refused', 3)
    for (const [field, message] of [
      ['size', 'thin_by: no layer of the tile has a field "size".'],
      ['kind', 'thin_by: the values of field "kind" are strings.'],
    ])
      expect(await readTowns(server, `resource=${id}&thin_by=${field}`)).toEqual({ status: 422, message })
  })

  test('of polygons keeps the largest of each cell', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, {
      name: 'islands',
      geometryType: 'POLYGON',
      fields: { people: 'INTEGER' },
    })
    const island = (side: number) => ({
      geom: `POLYGON((5000 5000,${5000 + side} 5000,${5000 + side} ${5000 + side},5000 5000))`,
      fields: { people: side },
    })
    await server.admin('PATCH', `/api/resource/${id}/feature/`, [10, 700, 30, 20].map(island))
    expect(await readTowns(server, `resource=${id}`)).toEqual([700])
    expect(await readTowns(server, `resource=${id}&thin_by=-people`)).toEqual([10])
  })

  test('lines with tens of thousands of positions are simplified to half a pixel, others to an eighth', async () => {
    const server = await start()
    const id = await createTestLayer(server.database, {
      name: 'wave',
      geometryType: 'LINESTRING',
      fields: {},
    })
    await server.admin('PATCH', `/api/resource/${id}/feature/`, [{ geom: 'LINESTRING(0 0,1 1)' }])
    const frame = { box: [0, 0, 1000, 1000], width: 1000, height: 1000 } as const
    const countBytes = async (positions: number) => {
      const layer = (await findLayers(server.database, [id])).get(id)
      if (layer === undefined) throw new Error('no layer')
      // Every other position lies 0.4 pixels beside the others.
      await server.database.query(
        `update "${layer.tableName}" set geom = (select ST_MakeLine(ST_SetSRID(ST_MakePoint(1000.0 * i / $1::int, 500 + 0.4 * (i % 2)), 3857) order by i)
          from generate_series(0, $1::int) i)`,
        [positions],
      )
      const { geometries } = await readImageFeatures(server.database, layer, { frame, reach: 0, fields: [] })
      return geometries.length
    }
    expect(await countBytes(5000)).toBeGreaterThan(5000)
    expect(await countBytes(50_000)).toBeLessThan(100)
  })
})
