import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addGroup, addUser, goodPassword } from '../support/principals.ts'
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

test('names every rule behind a gain, and members who are denied a part of it', async () => {
  const deny = rule('bob', 'data', 'read').replace('allow', 'deny')
  const rules = [
    rule('editors', 'resource', 'read'),
    rule('editors', 'webmap', 'display'),
    rule('editors', 'data', 'read'),
    deny,
  ]
  const map = `          map:
            cls: webmap
            display_name: Map
`
  await write(manifest(rules, ['lakes']) + map)
  const told = accessOf(await run('plan', 'city.yaml'))
  expect(told).toContain(
    'group editors gains read and display on 1 new web map: map (city.yaml:14, city.yaml:15)',
  )
  expect(told).toContain('user bob gains read (without data) on 1 new layer: lakes (city.yaml:14)')
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

test('refuses gains of guests, and of named users and groups, with exit code 5', async () => {
  await write(manifest([rule('guest', ''), rule('editors', '')], ['rivers', 'roads']))
  const refused = await run('apply', 'city.yaml', '--yes', '--forbid-public-gain')
  expect(refused.exit).toBe(5)
  expect(refused.err).toContain(
    'city.yaml:14:13 error plan/forbidden-gain: guests gain write, create, update, delete, manage subresources, change permissions, write structure and write metadata on 2 layers: rivers, roads',
  )
  expect(await run('plan', 'city.yaml', '--forbid-gain', 'editors')).toMatchObject({ exit: 0 })

  await write(manifest([rule('authenticated', ''), rule('editors', '')], ['rivers', 'roads']))
  expect(await run('plan', 'city.yaml', '--forbid-public-gain')).toMatchObject({ exit: 0 })
  const named = await run('plan', 'city.yaml', '--forbid-gain', 'group:viewers', '--forbid-gain', 'ada')
  expect(named.exit).toBe(5)
  expect(named.err).toMatch(/plan\/forbidden-gain: group viewers gains all permissions on 2 layers/)
  expect(named.err).not.toContain('ada')
  const misspelt = await run('plan', 'city.yaml', '--forbid-gain', 'group:viewrs')
  expect([misspelt.exit, misspelt.err]).toEqual([3, expect.stringMatching(/viewrs(.|\n)*group:viewers/)])
})

test('refuses gains that it cannot check', async () => {
  await write(manifest([rule('guest', '')], ['rivers', 'roads']))
  const env = { LANDFORM_SERVER: server.url, LANDFORM_USER: 'ada', LANDFORM_PASSWORD: goodPassword }
  const ran = await runCommand(['plan', 'city.yaml', '--forbid-public-gain'], { cwd, env })
  expect(ran.exit).toBe(1)
  expect(ran.err).toContain('error plan/access-unknown')
})

const policy = (expression: string) => `policy: city
rules:
  - name: closed
    message: Guests must not gain access.
    each: access
    expression: ${expression}
`

test('checks the rules of a policy file before anything is sent', async () => {
  await write(manifest([rule('guest', ''), rule('editors', '')], ['rivers', 'roads']))
  const good = `access.change != "gain" || !("user:guest" in access.principals)`
  await writeFile(join(cwd, 'policy.yaml'), policy(good))
  const refused = await run('apply', 'city.yaml', '--yes', '--policy', 'policy.yaml')
  expect(refused.exit).toBe(5)
  expect(refused.err).toContain(
    'city.yaml:14:13 error policy/violated: closed: Guests must not gain access. (gain of user:guest)',
  )
  expect(refused.err).toContain('hint: rule at policy.yaml:6:17')
  expect(accessOf(await run('plan', 'city.yaml'))).not.toEqual([])

  await writeFile(join(cwd, 'policy.yaml'), policy('access.chnge == "gain"'))
  const faulty = await run('plan', 'city.yaml', '--policy', 'policy.yaml')
  expect([faulty.exit, faulty.err]).toEqual([
    3,
    expect.stringContaining('policy.yaml:6:24 error policy/bad-expression: closed: no such key: chnge'),
  ])
  expect((await run('plan', 'city.yaml', '--policy', 'none.yaml')).err).toContain('file/not-found')
  expect((await run('plan', 'city.yaml', '--policy', '')).exit).toBe(3)
  expect((await run('plan', 'city.yaml', '--forbid-gain', '')).exit).toBe(3)
})

test('lints the resources of a server, or of a subtree', async () => {
  await write(manifest([rule('everyone', 'resource'), rule('viewers', 'data')], ['rivers', 'roads']))
  await run('apply', 'city.yaml', '--yes')
  const whole = await run('lint', '--server', server.url, '--json')
  const found = events(whole).filter(({ type }) => type === 'issue')
  expect(found.map(({ code, message }) => `${code} ${message}`).sort()).toEqual([
    'lint/public-write the rules of "city" allow guests resource.create on 3 resources',
  ])
  await write(manifest([rule('everyone', 'resource', 'read')], ['rivers', 'roads']))
  await run('apply', 'city.yaml', '--yes')
  const rivers = await run('lint', '--server', server.url, '--root', 'rivers')
  expect(rivers.out).toMatch(
    /^warning lint\/unseen-layer: no rule lets anyone but administrators read the layer "rivers"\n(.|\n)*\n1 resource, 0 styles, 1 warning\n$/,
  )
  expect((await run('lint', '--server', server.url, '--root', 'none')).err).toContain('plan/missing')
  expect((await run('lint', 'city.yaml', '--server', server.url)).err).toContain('not both')
})

test('lints a small part of a server with what is around it', async () => {
  await write(manifest([rule('everyone', 'data'), rule('everyone', 'resource')], ['rivers', 'roads']))
  const style = (key: string) => `    ${key}:
      cls: mapsrv_style
      parent: rivers
      display_name: ${key}
      mapsrv_style: { xml: '<map><layer><class><style><color red="1" green="2" blue="3"/></style></class></layer></map>' }
`
  const others = Array.from(
    { length: 30 },
    (_, at) => `    other${at}: { cls: resource_group, parent: root, display_name: Other ${at} }\n`,
  )
  const maps = `manifest: maps
resources:
    root: { existing: true, id: 0 }
    rivers: { existing: true }
${style('used')}${style('unused')}${others.join('')}    map:
      cls: webmap
      parent: root
      display_name: Map
      webmap:
        root_item:
          item_type: root
          children:
            - { item_type: layer, display_name: Rivers, layer_style_id: used, layer_adapter: image }
`
  await writeFile(join(cwd, 'maps.yaml'), maps)
  expect((await run('apply', 'city.yaml', '--yes')).exit).toBe(0)
  expect((await run('apply', 'maps.yaml', '--yes')).exit).toBe(0)
  const found = events(await run('lint', '--server', server.url, '--root', 'rivers', '--json'))
  expect(found.filter(({ type }) => type === 'issue').map(({ message }) => message)).toEqual([
    'no web map or service uses the style "unused"',
    'the rules of "city" allow guests resource.create on 3 resources',
  ])
})
