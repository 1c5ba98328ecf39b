import { afterAll, beforeAll, expect, test } from 'vitest'
import { listTiles, tileRange } from '../../src/cli/cache/seed.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { createLayer, createResource } from '../support/tree.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let layer: number
let style: number

beforeAll(async () => {
  server = await startTestServer('postgres')
  layer = await createLayer(server.admin, { name: 'Towns', geometryType: 'POINT' })
  const points = ['POINT(5e6 5e6)', 'POINT(-9e6 -9e6)'].map((geom) => ({ geom, fields: {} }))
  expect((await server.admin('PATCH', `/api/resource/${layer}/feature/`, points)).status).toBe(200)
  const tile_cache = { enabled: true, max_z: 3 }
  style = await createResource(server.admin, {
    ...{ cls: 'mapsrv_style', parent: layer, name: 'Towns, grey' },
    ...{ resource: { keyname: 'towns_style' }, members: { tile_cache } },
  })
  await createResource(server.admin, {
    ...{ cls: 'mapsrv_style', parent: layer, name: 'Plain' },
    ...{ resource: { keyname: 'plain' } },
  })
})
afterAll(() => server.stop())

function run(words: readonly string[], interrupt?: AbortSignal) {
  const env = administratorEnv(server.url)
  return runCommand(['cache', ...words], { cwd: '.', env, ...(interrupt === undefined ? {} : { interrupt }) })
}

const box = ['--bbox', '-179,-80,179,80']

test('tiles are drawn, counted and deleted', async () => {
  const none = await run(['stat'])
  expect(none.out.split('\n')[1]).toMatch(/^towns_style +yes +0 +0 B +-$/)
  const seeded = await run(['seed', 'towns_style', '--zoom', '0-2', ...box])
  expect([seeded.exit, seeded.err, seeded.out]).toEqual([
    0,
    '',
    expect.stringMatching(/^towns_style: 21 tiles requested in .*, 21 kept \(.* kB\)\n$/),
  ])
  expect((await run(['stat', String(style), 'plain'])).out).toMatch(
    /^towns_style +yes +21 +\d+\.\d kB +0: 1, 1: 4, 2: 16\nplain +no +0 +0 B +-$/m,
  )
  const events = (await run(['stat', 'towns_style', '--json'])).out
  expect(JSON.parse(events)).toMatchObject({ type: 'tile_cache', style, enabled: true, tiles: 21 })
  const tile = `/api/component/render/tile?resource=${style}&z=0&x=0&y=0`
  const drawn = Buffer.from(await (await server.admin('GET', tile)).arrayBuffer())
  const purged = await run(['purge', 'towns_style'])
  expect(purged).toEqual({ exit: 0, out: 'towns_style: 21 tiles deleted\n', err: '' })
  expect(JSON.parse((await run(['stat', 'towns_style', '--json'])).out)).toMatchObject({
    tiles: 0,
    bytes: 0,
    zooms: [],
  })
  expect(Buffer.from(await (await server.admin('GET', tile)).arrayBuffer())).toEqual(drawn)
})

test('without options the extent of the layer and the zoom levels of the style are drawn', async () => {
  await run(['purge', 'towns_style'])
  const seeded = await run(['seed', 'towns_style', '--json'])
  const tiles = [...listTiles([0, 1, 2, 3].map((z) => tileRange([-80.8, -62.5, 44.9, 40.9], z)))].length
  expect(JSON.parse(seeded.out)).toMatchObject({ type: 'tile_cache_seeded', requested: tiles, tiles })
})

test('an interrupted command tells how far it came', async () => {
  const stopped = await run(['seed', 'towns_style', '--zoom', '3', ...box], AbortSignal.abort())
  expect(stopped.exit).not.toBe(0)
  expect(stopped.err).not.toBe('')
})

test.each([
  [['seed', 'plain', '--zoom', '0'], 'The server keeps no tiles of "plain".'],
  [['seed', 'towns_style', '--zoom', '2-9'], 'up to zoom level 3, not 9'],
  [['seed', 'towns_style', '--zoom', '9-2'], 'Use a zoom level from 0 to 24'],
  [['seed', 'towns_style', '--zoom', '25'], 'Use a zoom level from 0 to 24'],
  [['seed', 'towns_style', '--bbox', '1,2,3'], 'west,south,east,north'],
  [['seed', 'Towns'], 'of which no tiles are kept'],
  [['seed', 'town_style'], 'town_style'],
  [['purge', 'nosuch'], 'nosuch'],
])('%j is refused', async (words, message) => {
  const ran = await run(words)
  expect([ran.exit, ran.out]).toEqual([expect.not.stringMatching('^0$'), ''])
  expect(ran.exit).not.toBe(0)
  expect(ran.err).toContain(message)
})

test('too many tiles are refused before the first request', async () => {
  const change = { tile_cache: { max_z: null } }
  expect((await server.admin('PUT', `/api/resource/${style}`, change)).status).toBe(200)
  expect((await run(['seed', 'towns_style'])).err).toContain('Use --zoom, such as 0-8.')
  const refused = await run(['seed', 'towns_style', '--zoom', '0-12', ...box])
  expect([refused.exit, refused.err]).toEqual([3, expect.stringContaining('more than 1,000,000')])
})

test('each tile is listed once, square by square', () => {
  const tiles = [...listTiles([tileRange([-180, -85, 180, 85], 3)])].map(({ x, y }) => `${x}/${y}`)
  expect(new Set(tiles).size).toBe(64)
  expect(tiles.slice(0, 16).every((tile) => /^[0-3]\/[0-3]$/.test(tile))).toBe(true)
  expect([...listTiles([tileRange([10, 50, 10, 50], 5)])]).toEqual([{ z: 5, x: 16, y: 10 }])
})
