import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addGroup, addUser } from '../support/principals.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('pglite')
  cwd = await mkdtemp(join(tmpdir(), 'landform-access-'))
  const ada = await addUser(server.admin, 'ada')
  const bob = await addUser(server.admin, 'bob')
  await addGroup(server.admin, 'editors', [ada, bob])
  await addGroup(server.admin, 'viewers', [bob])
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const credentials = () => ({ LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword })
const run = (...words: string[]): Promise<Ran> =>
  runCommand(words, { cwd, env: { LANDFORM_SERVER: server.url, ...credentials() } })

const layer = (key: string) => `          ${key}:
            cls: vector_layer
            display_name: ${key}
            vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
            feature_layer: { fields: [{ keyname: name, datatype: STRING }] }
`
const rule = (principal: string, scope: string, permission = '', propagate = true) =>
  `{ action: allow, principal: ${principal}, scope: '${scope}', permission: '${permission}', propagate: ${propagate} }`

/** Line 8 has the first rule of the group. */
const manifest = (rules: readonly string[], layers: readonly string[]) => `manifest: city
resources:
  root:
    existing: true
    id: 0
    permissions:
      include:
        - ${rule('everyone', 'resource', 'read', false)}
    children:
      city:
        cls: resource_group
        display_name: City
        permissions:${rules.map((one) => `\n          - ${one}`).join('') || ' []'}
        children:
${layers.map(layer).join('')}`

const write = (text: string) => writeFile(join(cwd, 'city.yaml'), text)

/** Lines of the section about access, without its title. */
const accessOf = ({ out }: Ran) => {
  const lines = out.split('\n')
  const at = lines.indexOf('Access:')
  return at < 0 ? [] : lines.slice(at + 1, lines.indexOf('', at)).map((line) => line.trim())
}

const events = ({ out }: Ran) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('tells who gains and loses what, with the rule that causes it', async () => {
  await write(manifest([], ['rivers', 'roads']))
  expect(accessOf(await run('plan', 'city.yaml'))).toEqual([
    'signed-in users and guests gain read on 1 resource group: root (city.yaml:8)',
  ])
  await run('apply', 'city.yaml', '--yes')
  const open = [rule('guest', 'resource', 'read'), rule('guest', 'data', 'read'), rule('editors', '')]
  await write(manifest(open, ['rivers', 'roads']))
  const gains = [
    'guests gain read on 2 layers and 1 resource group: rivers, roads, city (city.yaml:14, city.yaml:15)',
    'group editors gains all permissions on 2 layers and 1 resource group: rivers, roads, city (city.yaml:16)',
  ]
  expect(accessOf(await run('plan', 'city.yaml'))).toEqual(gains)
  expect(accessOf(await run('apply', 'city.yaml', '--yes'))).toEqual(gains)
  expect(accessOf(await run('plan', 'city.yaml'))).toEqual([])
})

test('tells what removed rules, new and deleted resources change', async () => {
  await write(
    manifest([rule('guest', 'resource', 'read'), rule('ada', 'resource', 'read')], ['lakes', 'roads']),
  )
  expect(accessOf(await run('plan', 'city.yaml', '--prune', '--allow-delete', 'rivers'))).toEqual([
    'guests lose read on 1 deleted layer: rivers',
    'guests lose read on 1 layer: roads (city.yaml:13)',
    'user ada and guests gain read (without data) on 1 new layer: lakes (city.yaml:17, city.yaml:15)',
    'group editors loses all permissions on 1 layer and 1 resource group: roads, city (city.yaml:13)',
    'group editors loses all permissions on 1 deleted layer: rivers',
  ])
})

test('writes events with all principals, resources and positions', async () => {
  await write(manifest([rule('guest', ''), rule('editors', '')], ['rivers', 'roads']))
  const ran = events(await run('plan', 'city.yaml', '--json'))
  const target = (key: string) => ({ key, cls: 'vector_layer', display_name: key })
  expect(ran.filter(({ type }) => type === 'access')).toEqual([
    expect.objectContaining({
      v: 1,
      resources: [{ key: 'city', cls: 'resource_group', display_name: 'City' }],
    }),
    {
      v: 1,
      type: 'access',
      change: 'gain',
      principals: ['user:guest'],
      permissions: expect.arrayContaining(['resource.update', 'data.write']),
      on: 'existing',
      resources: [target('rivers'), target('roads')],
      causes: [expect.objectContaining({ file: 'city.yaml', line: 14, column: 13 })],
      implied: false,
    },
  ])
  expect(ran.at(-1)).toMatchObject({ type: 'summary', access_complete: true, access_users: true })
})
