import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeRaster } from '../support/raster.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, userPassword } from '../support/users.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
})
afterAll(() => server.stop())

const places = JSON.stringify({
  type: 'FeatureCollection',
  features: [{ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [1, 1] } }],
})

const topology = JSON.stringify({
  type: 'Topology',
  arcs: [],
  objects: {
    towns: { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] },
    wells: { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [3, 4] }] },
  },
})

beforeEach(async () => {
  const home = await mkdtemp(join(tmpdir(), 'landform-init-'))
  cwd = join(home, 'Our city')
  await mkdir(join(cwd, 'data', 'node_modules'), { recursive: true })
  await writeFile(join(cwd, 'places.geojson'), places)
  await writeFile(join(cwd, 'data', 'wells.topojson'), topology)
  await writeFile(join(cwd, 'data', 'relief.tif'), await makeRaster({ width: 4, height: 4 }))
  await writeFile(join(cwd, 'data', 'package.json'), '{}')
  await writeFile(join(cwd, 'data', 'lone.shp'), '')
  await writeFile(join(cwd, 'data', 'node_modules', 'else.geojson'), places)
  return () => rm(home, { recursive: true, force: true })
})

function run(words: readonly string[], answer?: string): Promise<Ran> {
  const env = administratorEnv(server.url)
  return runCommand(words, { cwd, env, ...(answer === undefined ? {} : { answer }) })
}

const read = (path: string) => readFile(join(cwd, path), 'utf8')

test('a first manifest has a layer for each data file and a map, and can be applied', async () => {
  const made = await run(['init', '--public'])
  expect([made.exit, made.err, made.out]).toEqual([
    0,
    '',
    expect.stringContaining('manifests/our_city.yaml: 4 layers, 1 web map\n'),
  ])
  expect((await read('manifests/our_city.yaml')).match(/source: .*|source_layer: .*/g)).toEqual([
    'source: ../data/relief.tif',
    ...['source: ../data/wells.topojson', 'source_layer: towns'],
    ...['source: ../data/wells.topojson', 'source_layer: wells'],
    'source: ../places.geojson',
  ])
  expect(JSON.parse(await read('manifests/manifest.schema.json'))).toHaveProperty('$schema')
  expect((await run(['validate'])).out).toContain('11 resources, no errors')
  const applied = await run(['apply', '--yes'])
  expect([applied.exit, applied.out]).toEqual([0, expect.stringContaining('10 created, 1 updated')])
  expect((await run(['plan'])).out).toContain('0 changes')
  const [map] = await (await server.guest('GET', '/api/resource/search/?keyname=our_city_map')).json<
    { resource: { id: number } }[]
  >()
  const page = `/resource/${map?.resource.id}/display`
  expect((await server.guest('GET', page)).status).toBe(200)
  await createUser(server.database, 'carl')
  expect((await server.as('carl', userPassword)('GET', page)).status).toBe(200)
})

test('a map draws points over lines over polygons over rasters', async () => {
  const at = (type: string, coordinates: unknown) =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: [{ type: 'Feature', properties: {}, geometry: { type, coordinates } }],
    })
  const ring = [
    ...[
      [0, 0],
      [1, 0],
      [1, 1],
    ],
    [0, 0],
  ]
  await writeFile(join(cwd, 'areas.geojson'), at('Polygon', [ring]))
  await writeFile(join(cwd, 'lines.geojson'), at('LineString', ring))
  await run(['init', 'data/relief.tif', 'areas.geojson', 'lines.geojson', 'data/wells.topojson', '--yes'])
  const written = await read('manifests/our_city.yaml')
  expect(written.match(/(?<=layer_style_id: )\w+/g)).toEqual([
    ...['towns_style', 'wells_style', 'lines_style', 'areas_style', 'relief_style'],
  ])
})

test('a person is asked for the name, the map and the guests', async () => {
  const made = await run(['init'], 'Town hall\nno\nyes')
  expect([made.exit, made.out]).toEqual([0, expect.stringContaining('manifests/town_hall.yaml: 4 layers\n')])
  expect(made.err).toContain(
    '3 data files found\n  data/relief.tif\n  data/wells.topojson\n  places.geojson\n',
  )
  const written = await read('manifests/town_hall.yaml')
  expect(written).toContain('display_name: Town hall')
  expect(written).toContain('principal: everyone')
  expect(written).not.toContain('webmap\n')
})

test('only the named files become layers', async () => {
  const made = await run(['init', 'places.geojson', '--name', 'One', '--into', 'elsewhere'])
  expect(made.out).toContain('elsewhere/one.yaml: 1 layer, 1 web map\n')
  expect(made.out).toContain('landform plan elsewhere\n')
  await run(['init', 'places.geojson', '--name', 'Two', '--prefix', 'north_'])
  const keys = (await read('manifests/two.yaml')).match(/^ +north_\w+(?=:$)/gm)?.map((key) => key.trim())
  expect(keys).toEqual(['north_two', 'north_places', 'north_places_style', 'north_two_map'])
})

test('nothing is overwritten, and missing files are told', async () => {
  expect((await run(['init', '--name', 'One'])).exit).toBe(0)
  const again = await run(['init', '--name', 'One', 'places.geojson'])
  expect([again.exit, again.err]).toEqual([3, expect.stringContaining('"manifests/one.yaml" already exists')])
  const missing = await run(['init', 'nosuch.shp'])
  expect([missing.exit, missing.err]).toEqual([
    3,
    expect.stringContaining('The file "nosuch.shp" does not exist.'),
  ])
})
