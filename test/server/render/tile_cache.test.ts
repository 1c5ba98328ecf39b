import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeTile, encodeTile } from '../../../src/server/tile_store/tile_file.ts'
import { oneDriver } from '../../support/drivers.ts'
import { createServerEnvironment, type ServerEnvironment } from '../../support/killable.ts'
import { type Ask, describeServer } from '../../support/server.ts'
import { createLayer, createResource } from '../../support/tree.ts'

const paths = ['0/0/0', '1/0/0', '1/1/0', '2/2/1', '2/0/3']
const addressOf = (path: string, style: number) => {
  const [z, x, y] = path.split('/')
  return `/api/component/render/tile?z=${z}&x=${x}&y=${y}&resource=${style}`
}

async function readTile(ask: Ask, path: string): Promise<string> {
  const answer = await ask('GET', path)
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer()).toString('base64')
}

async function listKept(dataFolder: string): Promise<string[]> {
  const entries = await readdir(join(dataFolder, 'tiles'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Creates a layer with two points, and a style of it. */
async function createStyled(ask: Ask, name: string, tileCache?: object) {
  const layer = await createLayer(ask, { name, geometryType: 'POINT' })
  const points = ['POINT(5e6 5e6)', 'POINT(-9e6 -9e6)'].map((geom) => ({ geom, fields: {} }))
  const answer = await ask('PATCH', `/api/resource/${layer}/feature/`, points)
  expect(answer.status).toBe(200)
  const members = tileCache === undefined ? {} : { tile_cache: tileCache }
  const style = await createResource(ask, { cls: 'mapsrv_style', parent: layer, name, members })
  return { layer, style }
}

describeServer('the tile cache of styles', (start) => {
  const readMember = async (ask: Ask, style: number) =>
    (await (await ask('GET', `/api/resource/${style}`)).json<{ tile_cache: object }>()).tile_cache

  test('is off by default, and keeps what was written', async () => {
    const { admin } = await start()
    const { style } = await createStyled(admin, 'member')
    const defaults = { enabled: false, image_compose: false, max_z: null, ttl: null }
    expect(await readMember(admin, style)).toEqual(defaults)
    const write = (member: object) => admin('PUT', `/api/resource/${style}`, { tile_cache: member })
    expect((await write({ enabled: true, max_z: 5, flush: true })).status).toBe(200)
    expect((await write({ ttl: 3600 })).status).toBe(200)
    expect(await readMember(admin, style)).toEqual({ ...defaults, enabled: true, max_z: 5, ttl: 3600 })
  })

  test.each([
    { enabled: 'yes' },
    { enabled: null },
    { max_z: -1 },
    { max_z: 25 },
    { max_z: 1.5 },
    { ttl: 0 },
    { ttl: 2 ** 31 },
    { ttl: '1' },
    { flush: 1 },
    [],
    'all',
  ])('refuses %j', async (member) => {
    const { admin } = await start()
    const { style } = await createStyled(admin, `refuses ${JSON.stringify(member)}`)
    const answer = await admin('PUT', `/api/resource/${style}`, { tile_cache: member })
    expect(answer.status).toBe(422)
  })

  test('has tiles that equal drawn ones after edits of features, styles and flushes', async () => {
    const { admin } = await start()
    const { layer, style } = await createStyled(admin, 'edited', { enabled: true })
    const tags = new Set<string | null>()
    const check = async () => {
      const cached = await Promise.all(paths.map((path) => readTile(admin, addressOf(path, style))))
      const drawn = await Promise.all(
        paths.map((path) => readTile(admin, `${addressOf(path, style)}&cache=false`)),
      )
      expect(cached).toEqual(drawn)
      tags.add((await admin('GET', addressOf('0/0/0', style))).headers.get('etag'))
      return drawn.join()
    }
    const first = await check()
    const moved = { geom: 'POINT(-5e6 5e6)' }
    expect((await admin('PUT', `/api/resource/${layer}/feature/1`, moved)).status).toBe(200)
    const second = await check()
    expect(second).not.toBe(first)
    const xml = '<map><layer><class><style><color red="9" green="9" blue="9"/></style></class></layer></map>'
    await admin('PUT', `/api/resource/${style}`, { mapsrv_style: { xml } })
    expect(await check()).not.toBe(second)
    await admin('PUT', `/api/resource/${style}`, { tile_cache: { flush: true } })
    await check()
    expect(tags.size).toBe(4)
  })
})

describe.each(oneDriver)('kept tiles on %s', (driver) => {
  let ground: ServerEnvironment
  beforeAll(async () => {
    ground = await createServerEnvironment(driver)
  })
  afterAll(() => ground.remove())

  test('are read from the disk after a restart, unless the style keeps none of the zoom level', async () => {
    const first = await ground.inspect()
    const { style } = await createStyled(first.admin, 'restart', { enabled: true, max_z: 1 })
    const other = await createStyled(first.admin, 'not kept')
    for (const path of paths)
      for (const id of [style, other.style]) await readTile(first.admin, addressOf(path, id))
    await first.running.stop()
    const files = await listKept(ground.dataFolder)
    expect(files).toHaveLength(3)
    const bytes = Uint8Array.of(1, 2, 3)
    const tilesFolder = join(ground.dataFolder, 'tiles')
    for (const file of files) {
      const name = relative(tilesFolder, file)
      const data = decodeTile(name, await readFile(file))?.data ?? []
      await writeFile(file, encodeTile(name, { tile: { bytes, isEmpty: false }, data }))
    }
    const second = await ground.inspect()
    const foreign = Buffer.from(bytes).toString('base64')
    const answers = await Promise.all(paths.map((path) => readTile(second.admin, addressOf(path, style))))
    expect(answers.map((answer) => answer === foreign)).toEqual([true, true, true, false, false])
    expect(await readTile(second.admin, `${addressOf('0/0/0', style)}&cache=false`)).not.toBe(foreign)
    await second.admin('PUT', `/api/resource/${style}`, { tile_cache: { flush: true } })
    expect(await readTile(second.admin, addressOf('0/0/0', style))).not.toBe(foreign)
    await second.running.stop()
  })

  test('are whole after the server was killed while it wrote them', async () => {
    const server = await ground.start()
    const { style } = await createStyled(server.admin, 'killed', { enabled: true })
    const all = Array.from({ length: 64 }, (_, at) => `3/${at % 8}/${Math.floor(at / 8)}`)
    const running = all.map((path) => server.admin('GET', addressOf(path, style)).catch(() => undefined))
    await Promise.race(running)
    await server.kill()
    await Promise.all(running)
    const next = await ground.inspect()
    for (const path of all)
      expect(await readTile(next.admin, addressOf(path, style))).toBe(
        await readTile(next.admin, `${addressOf(path, style)}&cache=false`),
      )
    await next.running.stop()
    expect((await listKept(ground.dataFolder)).filter((file) => file.endsWith('.partial'))).toEqual([])
  })
})
