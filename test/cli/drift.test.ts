import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { createUser, userPassword } from '../support/users.ts'
import { type Ran, runCommand } from './terminal.ts'

describe.each(oneDriver)('drift on %s', (driver) => {
  let server: TestServer
  let cwd: string

  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-drift-'))
  })

  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  async function run(...words: readonly string[]): Promise<Ran> {
    const env = administratorEnv(server.url)
    return runCommand(words, { cwd, env })
  }

  async function write(id: string, groups: Readonly<Record<string, string>>): Promise<void> {
    const blocks = Object.entries(groups).map(
      ([key, more]) => `      ${key}: { cls: resource_group, ${more} }`,
    )
    await writeFile(
      join(cwd, `${id}.yaml`),
      `manifest: ${id}\nresources:\n  root:\n    existing: true\n    id: 0\n    children:\n${blocks.join('\n')}\n`,
    )
  }

  async function apply(id: string, groups: Readonly<Record<string, string>>): Promise<void> {
    await write(id, groups)
    const applied = await run('apply', `${id}.yaml`, '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  }

  async function idOf(key: string): Promise<number> {
    const [found] = await (await server.admin('GET', `/api/resource/search/?keyname=${key}`)).json<
      { resource: { id: number } }[]
    >()
    return found?.resource.id ?? -1
  }

  async function edit(key: string, resource: object): Promise<void> {
    const changed = await server.admin('PUT', `/api/resource/${await idOf(key)}`, { resource })
    expect(changed.status).toBe(200)
  }

  async function rootName(): Promise<string> {
    const root = await server.admin('GET', '/api/resource/0')
    return (await root.json<{ resource: { display_name: string } }>()).resource.display_name
  }

  /** Lets a user read the root. */
  async function letRead(id: number): Promise<void> {
    const root = await (await server.admin('GET', '/api/resource/0')).json<{
      resource: { permissions: readonly object[] }
    }>()
    const added = { action: 'allow', principal: { id }, scope: 'resource', permission: 'read' }
    const permissions = [...root.resource.permissions, { ...added, identity: '', propagate: false }]
    const changed = await server.admin('PUT', '/api/resource/0', { resource: { permissions } })
    expect(changed.status).toBe(200)
  }

  /** The origins of the differences by key and field. */
  async function originsOf(id: string, ...words: readonly string[]): Promise<Record<string, string>> {
    const { exit, out } = await run('drift', `${id}.yaml`, '--json', ...words)
    expect(exit).toBe(0)
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as DriftEvent)
    return Object.fromEntries(
      events
        .filter(({ type }) => type === 'drift')
        .flatMap(({ key, fields }) =>
          fields.map(({ field, origin, ignored }) => [`${key}.${field}`, ignored ? 'ignored' : origin]),
        ),
    )
  }

  it('tells by field whether the manifest, the server or both changed', async () => {
    const names = (...all: readonly string[]) =>
      Object.fromEntries(all.map((key) => [key, `display_name: ${key}, description: first`]))
    await apply('town', names('same', 'ours', 'theirs', 'mixed', 'clash', 'lost'))
    const equal = await run('drift', 'town.yaml', '--exit-code')
    expect([equal.exit, equal.out]).toEqual([0, 'Drift of town: none.\n'])
    await edit('theirs', { description: 'server' })
    await edit('mixed', { description: 'server' })
    await edit('clash', { description: 'server' })
    expect((await server.admin('DELETE', `/api/resource/${await idOf('lost')}`)).status).toBe(200)
    await write('town', {
      ...names('same', 'theirs', 'lost'),
      ours: 'display_name: ours, description: manifest',
      mixed: 'display_name: renamed, description: first',
      clash: 'display_name: clash, description: manifest',
      added: 'display_name: added',
    })
    expect(await originsOf('town')).toEqual({
      'added.resource': 'manifest',
      'clash.description': 'both',
      'lost.resource': 'server',
      'mixed.description': 'server',
      'mixed.display_name': 'manifest',
      'ours.description': 'manifest',
      'theirs.description': 'server',
    })
    const drifted = await run('drift', 'town.yaml', '--exit-code')
    expect(drifted.exit).toBe(2)
    expect(drifted.out).toContain('    both      description  server: "server", manifest: "manifest"')
    expect(drifted.out).toContain('    server    deleted on the server')
    expect(drifted.out).toMatch(/last apply: \d+, administrator, .* UTC/)
    expect(drifted.out).toContain(
      'Drift of town: 3 changed in the manifest, 3 changed on the server, 1 changed in both.',
    )
    const applied = await run('apply', 'town.yaml', '--yes')
    expect(applied.exit).toBe(0)
    expect(await originsOf('town')).toEqual({})
  })

  it('tells rules that were added and removed on either side', async () => {
    const rule = (principal: string, permission: string) =>
      `{ action: allow, principal: ${principal}, scope: resource, permission: ${permission}, propagate: true }`
    const block = (...rules: readonly string[]) => `display_name: Ruled, permissions: [${rules.join(', ')}]`
    await apply('rules', { ruled: block(rule('guest', 'read'), rule('everyone', 'read')) })
    const principals = await (await server.admin('GET', '/api/component/auth/user/')).json<
      { id: number; keyname: string }[]
    >()
    const guest = principals.find(({ keyname }) => keyname === 'guest')?.id ?? -1
    const added = {
      ...{ action: 'allow', principal: { id: guest }, scope: 'resource', permission: 'update' },
      ...{ identity: '', propagate: true },
    }
    await edit('ruled', { permissions: [added] })
    await write('rules', { ruled: block(rule('everyone', 'read'), rule('authenticated', 'read')) })
    const drifted = await run('drift', 'rules.yaml')
    expect([drifted.exit, drifted.err]).toEqual([0, ''])
    // The server lost the rule of everyone and got one of the guest; the manifest got that of authenticated users.
    expect(drifted.out).toContain('Drift of rules: 1 changed in the manifest, 2 changed on the server.')
  })

  it('ignores resources and fields, and refuses names of nothing', async () => {
    await apply('some', { one: 'display_name: One', two: 'display_name: Two' })
    await edit('one', { display_name: 'Uno', description: 'server' })
    await edit('two', { display_name: 'Due' })
    await write('some', { one: 'display_name: One, description: mine', two: 'display_name: Two' })
    expect(await originsOf('some', '--ignore', 'two', '--ignore', 'one.display_name')).toEqual({
      'one.description': 'both',
      'one.display_name': 'ignored',
      'two.display_name': 'ignored',
    })
    const ignored = await run('drift', 'some.yaml', '--exit-code', '--ignore', 'one,two')
    expect([ignored.exit, ignored.out.split('\n').at(-2)]).toEqual([0, 'Drift of some: 3 ignored.'])
    const wrong = await run('drift', 'some.yaml', '--ignore', 'three')
    expect([wrong.exit, wrong.err]).toEqual([3, expect.stringContaining('--ignore three names no resource')])
    const noField = await run('drift', 'some.yaml', '--ignore', 'one.nofield')
    expect([noField.exit, noField.err]).toEqual([3, expect.stringContaining('names no field of "one"')])
    expect((await run('drift', 'some.yaml', '--ignore', 'one.permissions')).exit).toBe(0)
  })

  it('shows styles by rule and symbol, and tells what draws the same apart', async () => {
    const styleOf = (color: string, more = '') =>
      `<map><layer><class><name>Roads</name><style><color red="${color}" green="0" blue="0"/><width>2</width>${more}</style></class></layer></map>`
    const manifest = (xml: string) => `manifest: styled
resources:
  root:
    existing: true
    id: 0
    children:
      lines:
        cls: vector_layer
        display_name: Lines
        vector_layer: { geometry_type: LINESTRING, srs: { id: 3857 } }
        feature_layer: { fields: [] }
        children:
          lines_style: { cls: mapsrv_style, display_name: Lines, description: one two, mapsrv_style: { xml: '${xml}' } }
`
    await writeFile(join(cwd, 'styled.yaml'), manifest(styleOf('1')))
    const first = await run('apply', 'styled.yaml', '--yes')
    expect([first.exit, first.exit === 0 ? '' : first.err]).toEqual([0, ''])
    const id = await idOf('lines_style')
    // White space, and an opacity that is the default.
    const same = {
      mapsrv_style: { xml: styleOf('1', '<opacity>100</opacity>') },
      resource: { description: 'one  two' },
    }
    expect((await server.admin('PUT', `/api/resource/${id}`, same)).status).toBe(200)
    const harmless = await run('drift', 'styled.yaml', '--exit-code')
    expect([harmless.exit, harmless.out.split('\n').at(-2)]).toEqual([0, 'Drift of styled: 2 harmless.'])
    expect(harmless.out).toContain('mapsrv_style.xml  draws the same, written differently  (harmless)')
    const unseen = await run('plan', 'styled.yaml')
    expect(unseen.out).toContain('mapsrv_style.xml  draws the same, written differently (--json shows both)')
    expect(unseen.out).not.toContain('opacity')
    expect((await run('plan', 'styled.yaml', '--json')).out).toContain('<opacity>100</opacity>')

    const other = { mapsrv_style: { xml: styleOf('255') } }
    expect((await server.admin('PUT', `/api/resource/${id}`, other)).status).toBe(200)
    const drifted = await run('drift', 'styled.yaml', '--exit-code')
    expect(drifted.exit).toBe(2)
    expect(drifted.out).toContain('~ rule "Roads" / line  colour #ff0000 → #010000')
    const planned = await run('plan', 'styled.yaml')
    expect(planned.out).toContain(
      '      mapsrv_style.xml\n        ~ rule "Roads" / line  colour #ff0000 → #010000\n',
    )
  })

  it('is taken back, kept or ignored by resource', async () => {
    const named = (name: string) => `display_name: ${name}, description: first`
    await apply('each', { back: named('Back'), keep: named('Keep'), skip: named('Skip') })
    for (const key of ['back', 'keep', 'skip']) await edit(key, { description: 'server' })
    await edit('keep', { description: 'kept' })
    const planned = await run('plan', 'each.yaml', '--only', 'back')
    expect(planned.out).toContain('Plan for each, only back: 1 to update, 0 unchanged.')
    expect((await run('apply', 'each.yaml', '--only', 'back', '--yes')).exit).toBe(0)
    expect(await originsOf('each')).toMatchObject({
      'keep.description': 'server',
      'skip.description': 'server',
    })
    expect(Object.keys(await originsOf('each'))).not.toContain('back.description')

    expect((await run('pull', 'each.yaml', '--only', 'keep')).exit).toBe(0)
    expect(await readFile(join(cwd, 'each.yaml'), 'utf8')).toContain('description: kept')
    expect(await originsOf('each', '--ignore', 'skip')).toEqual({ 'skip.description': 'ignored' })
    for (const command of ['plan', 'pull']) {
      const wrong = await run(command, 'each.yaml', '--only', 'bakc')
      expect([wrong.exit, wrong.err]).toEqual([
        3,
        expect.stringContaining('there is no resource with the key "bakc"'),
      ])
      expect((await run(command, 'each.yaml', '--only', '')).exit).toBe(3)
    }
    const elsewhere = await run('pull', '--root', 'keep', '--into', 'x', '--only', 'keep')
    expect([elsewhere.exit, elsewhere.err]).toEqual([
      3,
      expect.stringContaining('--only and --overwrite are about'),
    ])
  })

  it('tells edited features from a changed source', async () => {
    const source = (name: string) =>
      writeFile(
        join(cwd, 'points.geojson'),
        JSON.stringify({
          type: 'FeatureCollection',
          features: [
            { type: 'Feature', properties: { name }, geometry: { type: 'Point', coordinates: [1, 1] } },
          ],
        }),
      )
    await source('Here')
    const manifest = `manifest: points
resources:
  root:
    existing: true
    id: 0
    children:
      points: { cls: vector_layer, display_name: Points, data: { source: points.geojson } }
`
    await writeFile(join(cwd, 'points.yaml'), manifest)
    expect((await run('apply', 'points.yaml', '--yes')).exit).toBe(0)
    expect(await originsOf('points')).toEqual({})
    await source('There')
    expect(await originsOf('points')).toEqual({ 'points.data': 'manifest' })
    const feature = `/api/resource/${await idOf('points')}/feature/1`
    expect((await server.admin('PUT', feature, { fields: { name: 'Edited' } })).status).toBe(200)
    expect(await originsOf('points')).toEqual({ 'points.data': 'both' })
    await source('Here')
    expect(await originsOf('points')).toEqual({ 'points.data': 'server' })
    const { out } = await run('drift', 'points.yaml')
    expect(out).toMatch(
      / data {2}server: \d features?, edited (once|\d times) since the last load \(features? [0-9, and]+\), last by administrator at [-0-9: ]+ UTC; manifest: \d features? in points.geojson\n/,
    )
    const [event] = (await run('drift', 'points.yaml', '--json')).out.split('\n')
    expect(JSON.parse(event ?? '').fields[0].data).toMatchObject({
      source: 'points.geojson',
      server_edits: expect.any(Number),
      last_server_edit: { by: 'administrator' },
    })
  })

  it('names what differs in the layer tree of a web map', async () => {
    const group = (name: string, more: string) =>
      `{ item_type: group, display_name: ${name}, children: [${more}] }`
    const tree = `webmap: { root_item: { item_type: root, children: [${group('Empty', '')}, ${group('Water', group('Ponds', ''))}] } }`
    await write('tree', {})
    const text = await readFile(join(cwd, 'tree.yaml'), 'utf8')
    await writeFile(
      join(cwd, 'tree.yaml'),
      `${text}      tree_map: { cls: webmap, display_name: Tree, ${tree} }\n`,
    )
    const applied = await run('apply', 'tree.yaml', '--yes')
    expect(applied.out).toContain('webmap.root_item  Empty (empty), Water (Ponds (empty))')
    const item = (name: string, children: readonly object[], more: object = {}) => ({
      ...{ item_type: 'group', display_name: name, children, ...more },
    })
    const children = [item('Water', [], { group_expanded: true }), item('Ponds', []), item('Other', [])]
    const changed = await server.admin('PUT', `/api/resource/${await idOf('tree_map')}`, {
      webmap: { root_item: { item_type: 'root', children } },
    })
    expect(changed.status).toBe(200)
    const lines = (await run('drift', 'tree.yaml')).out
      .split('\n')
      .filter((line) => line.includes(' layers '))
    expect(lines.map((line) => line.trim().replace(/^server +/, ''))).toEqual([
      'layers  Empty  server: none, manifest: group',
      'layers  Water  server: expanded, manifest: collapsed',
      'layers  Water / Ponds  server: at the top, manifest: in "Water"',
      'layers  Other  server: group, manifest: none',
    ])
  })

  it('needs no more than read access to tell that the manifest changed', async () => {
    const user = await createUser(server.database, 'reader')
    await letRead(user)
    const rule = '{ action: allow, principal: reader, scope: resource, permission: read, propagate: true }'
    const block = (name: string) => `display_name: ${name}, permissions: [${rule}]`
    await apply('shown', { first: block('First'), second: block('Second') })
    await edit('second', { display_name: 'Changed' })
    await write('shown', { first: block('Renamed'), second: block('Second') })
    const reader = { LANDFORM_USER: 'reader', LANDFORM_PASSWORD: userPassword }
    const env = { LANDFORM_SERVER: server.url, ...reader }
    const { exit, out, err } = await runCommand(['drift', 'shown.yaml'], { cwd, env })
    expect([exit, err]).toEqual([0, ''])
    expect(out).toContain('    manifest  display_name  server: "First", manifest: "Renamed"')
    expect(out).toContain('    unknown   display_name  server: "Changed", manifest: "Second"')
  })

  it('lists resources that left the manifest, that nobody manages, and later applies of other manifests', async () => {
    await apply('left', { stays: 'display_name: Stays', goes: 'display_name: Goes' })
    const parent = await idOf('stays')
    const made = await server.admin('POST', '/api/resource/', {
      resource: { cls: 'resource_group', display_name: 'By hand', parent: { id: parent } },
    })
    expect(made.status).toBe(200)
    await write('other', { stays: 'display_name: Taken' })
    expect((await run('apply', 'other.yaml', '--yes', '--adopt')).exit).toBe(0)
    await write('left', { stays: 'display_name: Stays' })
    const { out } = await run('drift', 'left.yaml')
    expect(out).toContain(
      `goes  resource_group  ${await rootName()} / Goes\n    manifest  no longer in the manifest`,
    )
    expect(out).toContain('    server    display_name  server: "Taken", manifest: "Stays"')
    expect(out).toMatch(/later apply of other: \d+, administrator/)
  })

  it('lists what was made below a small manifest, and where a resource is whose key was changed', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `many${at}`)
    await apply('many', Object.fromEntries(names.map((name) => [name, `display_name: ${name}`])))
    const groups = { kept: 'display_name: Kept', keyed: 'display_name: Keyed' }
    await apply('small', groups)
    const resource = { cls: 'resource_group', display_name: 'New here', parent: { id: await idOf('kept') } }
    expect((await server.admin('POST', '/api/resource/', { resource })).status).toBe(200)
    const same = await run('drift', 'small.yaml')
    expect(same.out).toMatch(/^unmanaged #\d+ {2}resource_group {2}New here\n/)
    await edit('keyed', { keyname: 'other_key' })
    const { out } = await run('drift', 'small.yaml')
    expect(out).toContain(`other_key  resource_group  ${await rootName()} / Keyed\n`)
    expect(out).toContain('  New here')
  })
})

interface DriftEvent {
  readonly type: string
  readonly key: string
  readonly fields: readonly { readonly field: string; readonly origin: string; readonly ignored: boolean }[]
}
