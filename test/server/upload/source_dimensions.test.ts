import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LayerClient, openLayerClient } from '../../support/layer_client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { makeZip } from '../../support/zip.ts'

const shapes = {
  POINTM: 'POINT M (0 0 5)',
  POINTZM: 'POINT ZM (0 0 7 5)',
  LINESTRINGM: 'LINESTRING M (0 0 5,1 0 6)',
  LINESTRINGZM: 'LINESTRING ZM (0 0 7 5,1 0 8 6)',
  POLYGONZM: 'POLYGON ZM ((0 0 1 9,1 0 2 9,1 1 3 9,0 0 1 9))',
} as const
type Type = keyof typeof shapes

const table = (...texts: string[]) => `wkt,n\n${texts.map((text, index) => `"${text}",${index}\n`).join('')}`

/** Makes a file of one shape; what is several files comes as an archive. */
function make(format: string, type: Type): [name: string, content: Buffer] {
  const folder = mkdtempSync(join(tmpdir(), 'landform-measures-'))
  try {
    writeFileSync(join(folder, 'in.csv'), table(shapes[type]))
    const target = join(folder, 'out')
    const options = ['-nln', 'a', '-nlt', type, '-a_srs', 'EPSG:4326', '-oo', 'GEOM_POSSIBLE_NAMES=wkt']
    execFileSync('ogr2ogr', [
      '-f',
      format,
      format === 'GPKG' ? `${target}.gpkg` : target,
      join(folder, 'in.csv'),
      ...options,
    ])
    if (format === 'GPKG') return ['a.gpkg', readFileSync(`${target}.gpkg`)]
    const files = readdirSync(target).map((name) => ({ name, content: readFileSync(join(target, name)) }))
    return ['a.zip', makeZip(files)]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

let server: TestServer
let client: LayerClient
beforeAll(async () => {
  server = await startTestServer('postgres')
  client = openLayerClient(server)
})
afterAll(() => server.stop())

let made = 0
/** Makes a layer; gives its type, its first shape and what was assumed. */
async function load([name, content]: readonly [string, Buffer | string], options: object = {}) {
  const source = await client.upload(name, content)
  made += 1
  const answer = await server.admin('POST', '/api/resource/', {
    resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: `Layer ${made}` },
    vector_layer: { source, srs: { id: 3857 }, ...options },
  })
  const { id, report } = await answer.json<{ id: number; report: { notes: string[] } }>()
  expect(answer.status).toBe(200)
  const [first] = await client.features(id)
  return { type: (await client.get(id)).vector_layer.geometry_type, geom: first?.geom, notes: report.notes }
}

const leftOut = expect.stringContaining('measures (M)')

describe('Z values are kept, and M values are dropped with a note,', () => {
  test.each(['GPKG', 'ESRI Shapefile'])('in %s', async (format) => {
    for (const type of Object.keys(shapes) as Type[]) {
      const { type: found, geom, notes } = await load(make(format, type))
      expect(found).toBe(type.replace('M', ''))
      expect(geom?.includes(' Z')).toBe(type.includes('Z'))
      expect(notes).toEqual([leftOut])
    }
  })

  test.each<[cast: boolean, type: Type, found: string, geom: string]>([
    [true, 'POINTM', 'POINTZ', 'POINT Z (0 0 0)'],
    [true, 'POINTZM', 'POINTZ', 'POINT Z (0 0 7)'],
    [false, 'POINTM', 'POINT', 'POINT(0 0)'],
    [false, 'POINTZM', 'POINT', 'POINT(0 0)'],
  ])('with cast_has_z %s for %s', async (cast, type, found, geom) => {
    for (const format of ['GPKG', 'ESRI Shapefile']) {
      expect(await load(make(format, type), { cast_has_z: cast })).toMatchObject({ type: found, geom })
    }
    expect(await load(['a.csv', table(shapes[type])], { cast_has_z: cast })).toMatchObject({
      type: found,
      geom,
    })
  })

  test('in GeoJSON', async () => {
    const geometry = '{"type":"Point","coordinates":[0,0,7,5]}'
    const feature = `{"type":"Feature","properties":{},"geometry":${geometry}}`
    expect(await load(['a.geojson', feature])).toMatchObject({ type: 'POINTZ', geom: 'POINT Z (0 0 7)' })
  })
})

describe('a feature with invalid Z or M, an empty geometry or a collection is reported:', () => {
  test.each([
    ...['POINT Z (0 0 nan)', 'POINT M (0 0 nan)', 'POINT ZM (0 0 nan 1)', 'POINT (0)', 'POINT (0 x)'],
    ...['POINT EMPTY', 'POINT Z EMPTY', 'LINESTRING EMPTY', 'POLYGON EMPTY', 'MULTIPOINT EMPTY'],
    ...['MULTILINESTRING EMPTY', 'MULTIPOLYGON EMPTY', 'GEOMETRYCOLLECTION EMPTY'],
    'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING (0 0,1 1))',
  ])('%s', async (text) => {
    const source = await client.upload('a.csv', table('POINT (1 2)', text))
    const { status, detail } = await client.refuse('POST', '/api/resource/', {
      resource: { cls: 'vector_layer', parent: { id: 0 }, display_name: 'Refused' },
      vector_layer: { source, srs: { id: 3857 } },
    })
    expect(status).toBe(422)
    expect(detail).toMatch(
      /^- feature 2: (wkt: ".*" is not a valid geometry|it has no geometry|it is a collection of .*)$/,
    )
  })
})
