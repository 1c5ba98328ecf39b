import { afterAll, describe, expect, test } from 'vitest'
import { drivers, openTestDatabase } from '../../support/drivers.ts'
import {
  basic,
  type HotServers,
  type HotTree,
  makeHotTree,
  readable,
  readTile,
  startOne,
  startTwo,
  tilePaths,
} from '../../support/hot_tiles.ts'
import { goodPassword, groupsPath, logIn } from '../../support/principals.ts'
import { startTestServer } from '../../support/server.ts'
import { observeStatements } from '../../support/statement_observer.ts'
import { styleXml } from '../../support/tree.ts'

const places = [
  ...drivers.map((driver) => [`one server on ${driver}`, () => startOne(driver)] as const),
  ...(drivers.includes('postgres') ? [['a second server on postgres', startTwo] as const] : []),
]

const red = styleXml('<color red="255" green="0" blue="0"/>')

/** Each kind of change, what it writes, and the status of the tiles afterwards; `new` for other tiles. */
const changes: readonly [string, (tree: HotTree) => [string, string, unknown?], 'new' | number][] = [
  ['permissions', ({ open }) => ['PUT', `/api/resource/${open}`, { resource: { permissions: [] } }], 403],
  ['members of a group', ({ team }) => ['PUT', groupsPath + team, { members: [] }], 403],
  ['the place', ({ layer, hidden }) => moveTo(layer, hidden), 403],
  ['the layer, deleted', ({ layer }) => ['DELETE', `/api/resource/${layer}`], 404],
  [
    'a feature',
    ({ layer }) => ['PUT', `/api/resource/${layer}/feature/1`, { geom: 'POINT (9e6 9e6)' }],
    'new',
  ],
]

function moveTo(id: number, parent: number): [string, string, unknown] {
  return ['PUT', `/api/resource/${id}`, { resource: { parent: { id: parent } } }]
}

describe.each(places)('hot tiles of %s', (_title, start) => {
  let starting: Promise<HotServers> | undefined
  const open = () => {
    starting ??= start()
    return starting
  }
  afterAll(async () => (await starting)?.stop())

  test.each(changes)('follow a change of %s', async (_what, change, expected) => {
    const servers = await open()
    const tree = await makeHotTree(servers.admin)
    const ask = servers.reader(basic(tree.login))
    const read = () => Promise.all(Object.values(tilePaths(tree)).map((path) => readTile(ask, path)))
    await servers.heard()
    const before = await read()
    expect(before).toEqual([expect.stringMatching(/^200 "/), expect.stringMatching(/^200 "/)])
    expect(await read()).toEqual(before)
    const answer = await servers.admin(...change(tree))
    expect(answer.status, await answer.clone().text()).toBe(200)
    await servers.heard()
    const after = await read()
    if (expected === 'new') for (const [at, tile] of after.entries()) expect(tile).not.toBe(before[at])
    else expect(after).toEqual([`${expected}`, `${expected}`])
  })

  test('follow a new name of a field, and a new style', async () => {
    const servers = await open()
    const tree = await makeHotTree(servers.admin)
    const ask = servers.reader(basic(tree.login))
    const { vector, image } = tilePaths(tree)
    await servers.heard()
    const read = () => Promise.all([readTile(ask, vector), readTile(ask, image)])
    const before = await read()
    const fields = [{ id: tree.field, keyname: 'title' }]
    await servers.admin('PUT', `/api/resource/${tree.layer}`, { feature_layer: { fields } })
    await servers.admin('PUT', `/api/resource/${tree.style}`, { mapsrv_style: { xml: red } })
    await servers.heard()
    const [newVector, newImage] = await read()
    expect(newVector).not.toBe(before[0])
    expect(newImage).not.toBe(before[1])
    const tile = await (await ask('GET', vector)).text()
    expect([tile.includes('title'), tile.includes('name')]).toEqual([true, false])
  })

  test('follow a permission that is given, and a sign-out', async () => {
    const servers = await open()
    const tree = await makeHotTree(servers.admin)
    const { vector } = tilePaths(tree)
    const path = `/api/resource/${tree.open}`
    await servers.admin('PUT', path, { resource: { permissions: [] } })
    const cookie = await logIn(servers.reader({}), tree.login, goodPassword)
    const ask = servers.reader({ cookie })
    await servers.heard()
    expect(await readTile(ask, vector)).toBe('403')
    await servers.admin('PUT', path, { resource: { permissions: readable(tree.team) } })
    await servers.heard()
    expect(await readTile(ask, vector)).toMatch(/^200 /)
    await ask('POST', '/api/component/auth/logout')
    expect(await readTile(ask, vector)).toBe('401')
  })
})

describe.each(drivers)('a tile that was just requested on %s', (driver) => {
  test('takes no statement', async () => {
    const statements: string[] = []
    let isCounting = false
    const database = observeStatements(await openTestDatabase(driver), (statement) => {
      if (isCounting) statements.push(statement)
    })
    const server = await startTestServer(driver, { database })
    await server.running.cleaned
    const tree = await makeHotTree(server.admin)
    const ask = server.as(tree.login, goodPassword)
    for (const path of Object.values(tilePaths(tree))) {
      const first = await readTile(ask, path)
      isCounting = true
      expect(await readTile(ask, path)).toBe(first)
      isCounting = false
      expect(statements).toEqual([])
    }
    await server.stop()
  })
})
