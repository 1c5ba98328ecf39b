import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import {
  basic,
  type HotServers,
  type HotTree,
  makeHotTree,
  readable,
  readTile,
  startTwo,
  tilePaths,
} from '../../support/hot_tiles.ts'
import { groupsPath } from '../../support/principals.ts'
import { rule } from '../../support/resources.ts'
import { adminPassword } from '../../support/server.ts'
import { styleXml } from '../../support/tree.ts'

const run = { seed: 20_261_123, numRuns: process.env.LANDFORM_SOAK ? 100 : 4 }

type Change = (tree: HotTree) => [method: string, path: string, body: unknown]

const member = fc.boolean().map(
  (isMember): Change =>
    ({ team, member: user }) => ['PUT', groupsPath + team, { members: isMember ? [user] : [] }],
)
const rules = fc.constantFrom('none', 'read', 'denied').map(
  (what): Change =>
    ({ open, team }) => {
      const permissions =
        what === 'none' ? [] : [...readable(team), ...(what === 'read' ? [] : [rule('deny data.read', team)])]
      return ['PUT', `/api/resource/${open}`, { resource: { permissions } }]
    },
)
const place = fc.boolean().map(
  (isOpen): Change =>
    ({ open, hidden, layer }) => {
      const resource = { parent: { id: isOpen ? open : hidden } }
      return ['PUT', `/api/resource/${layer}`, { resource }]
    },
)
const feature = fc.integer({ min: -1000, max: 1000 }).map(
  (x): Change =>
    ({ layer }) => ['PUT', `/api/resource/${layer}/feature/1`, { geom: `POINT (${9000 * x} 0)` }],
)
const field = fc.constantFrom('name', 'title', 'label').map(
  (keyname): Change =>
    ({ layer, field: id }) => [
      'PUT',
      `/api/resource/${layer}`,
      { feature_layer: { fields: [{ id, keyname }] } },
    ],
)
const style = fc.nat(255).map(
  (red): Change =>
    ({ style: id }) => [
      'PUT',
      `/api/resource/${id}`,
      { mapsrv_style: { xml: styleXml(`<color red="${red}" green="0" blue="0"/>`) } },
    ],
)
const changes = fc.array(fc.oneof(member, rules, place, feature, field, style), {
  minLength: 3,
  maxLength: 6,
})

let servers: HotServers | undefined
afterAll(() => servers?.stop())

test('two servers that remember answer as a server that was just started', async () => {
  servers ??= await startTwo()
  const { admin, changed, reader, heard, withFresh } = servers
  await fc.assert(
    fc.asyncProperty(changes, async (list) => {
      const tree = await makeHotTree(admin)
      const callers = [basic(tree.login), basic('administrator', adminPassword), {}]
      const readAll = (ask: HotServers['reader']) =>
        Promise.all(
          callers.flatMap((one) => Object.values(tilePaths(tree)).map((path) => readTile(ask(one), path))),
        )
      await heard()
      await readAll(reader)
      for (const change of list) {
        await readAll(changed)
        const answer = await admin(...change(tree))
        expect(answer.status, await answer.text()).toBe(200)
        const atOnce = await readAll(changed)
        await heard()
        const there = await readAll(reader)
        const fresh = await withFresh(readAll)
        expect([atOnce, there]).toEqual([fresh, fresh])
      }
    }),
    run,
  )
})
