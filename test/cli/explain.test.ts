import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { drivers } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const manifest = (name: string) =>
  `manifest: city
users:
  ivy: { display_name: Ivy, password: { env: IVY_PASSWORD } }
resources:
  root:
    existing: true
    id: 0
    children:
      city.north:
        cls: resource_group
        display_name: ${name}
        description: \${file:about.txt}
        children:
          lines:
            cls: vector_layer
            display_name: \${env.LINES:-Lines} of \${env.CITY}
            permissions: &public
              - { action: allow, principal: guest, scope: resource, permission: read, propagate: true }
            vector_layer: &geometry
              geometry_type: LINESTRING
              srs: { id: 3857 }
          points:
            cls: vector_layer
            display_name: Points
            permissions: *public
            vector_layer: { <<: *geometry, geometry_type: POINT }
          db:
            cls: geodb_connection
            display_name: Database
            geodb_connection: { hostname: db.example.org, username: u, password: "\${env.CITY}", database: d }
          lots:
            cls: vector_layer
            display_name: Lots
            vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
            feature_layer:
              fields:
                - { keyname: code, datatype: STRING, display_name: Code }
                - { keyname: use, datatype: STRING, display_name: Use of the lot }
          lots_wfs:
            cls: wfsserver_service
            display_name: WFS
            wfsserver_service:
              layers:
                - { keyname: lots.all, resource_id: lots, display_name: All lots }
`

/** A resource, a group and an icon with one key. */
const sameKeys = (name: string) => `manifest: same
groups:
  roads: { description: Surveyors }
icons:
  roads: { name: Road, image: line.svg }
resources:
  root: { existing: true, id: 0 }
  roads: { cls: resource_group, parent: root, display_name: ${name} }
`

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-explain-'))
  await writeFile(
    join(cwd, 'about.txt'),
    'One\nTwo lines that are long enough to be counted, one after the other\n',
  )
  await writeFile(join(cwd, 'city.yaml'), manifest('North'))
  await writeFile(join(cwd, 'line.svg'), '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')
  await writeFile(join(cwd, 'same.yaml'), sameKeys('Roads'))
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

const explain = (name: string, env: Record<string, string> = {}, ...more: string[]) =>
  runCommand(['explain', name, 'city.yaml', ...more], { cwd, env: { CITY: 'Oslo', ...env } })

describe('explain without a server', () => {
  test('names the position of each field of a block, its variables and files', async () => {
    const { out, err, exit } = await explain('city.north')
    expect(exit).toBe(0)
    expect(err).toBe('note: without --server or LANDFORM_SERVER, the values of the server are not shown\n')
    expect(out).toBe(`city.north.cls  "resource_group"
    city.yaml:10:9
city.north.display_name  "North"
    city.yaml:11:9
city.north.description  2 lines
    city.yaml:12:9
    file about.txt
`)
    expect(
      (await explain('lines.display_name', {}, '--offline')).out,
    ).toBe(`lines.display_name  "Lines of Oslo"
    city.yaml:16:13
    default of the expression: the environment variable LINES is not set
    environment variable CITY
`)
    expect((await explain('lines.display_name', { LINES: 'Roads' })).out).toContain('"Roads of Oslo"')
  })

  test('follows aliases and merge keys', async () => {
    const { out, err } = await explain('points.vector_layer', {}, '--offline')
    expect(err).toBe('')
    expect(out).toContain('points.vector_layer.geometry_type  "POINT"\n    city.yaml:26:44')
    expect(out).toContain(`points.vector_layer.srs  EPSG:3857
    city.yaml:21:15
    through a merge key at city.yaml:26:13
`)
    const rule = await explain('points.permissions[0].principal', {}, '--offline')
    expect(rule.out).toContain('"guest"\n    city.yaml:18:34\n    through the alias at city.yaml:25:13\n')
    expect((await explain('points.permissions', {}, '--offline')).out).toContain('through the alias *public')
  })

  test('tells defaults, and never shows secrets', async () => {
    expect((await explain('db.geodb_connection.port', {}, '--offline')).out).toContain('default of the field')
    const secret = await explain('db.geodb_connection.password', {}, '--offline')
    expect(secret.out).toContain('db.geodb_connection.password  (secret)\n')
    expect(secret.out).not.toContain('Oslo')
    expect((await explain('ivy', {}, '--offline')).out).toContain('ivy.password')
    const json = await explain('db', {}, '--offline', '--json')
    expect(json.out).not.toContain('Oslo')
    expect(JSON.parse(json.out.split('\n')[0] ?? '')).toMatchObject({
      type: 'field',
      key: 'db',
      pointer: '/cls',
    })
  })

  test('tells that the manifest omits a field, and whether it has a default', async () => {
    const omitted = (await explain('lines.description', {}, '--offline')).out
    expect(omitted).toBe(
      'lines.description  (none)\n    the manifest does not set it, and it has no default\n',
    )
    expect((await explain('lines.protect', {}, '--offline')).out).toBe(
      'lines.protect  false\n    default of the field\n',
    )
    expect((await explain('root.description', {}, '--offline')).out).toContain('does not set it')
    expect((await explain('lines.resource_group', {}, '--offline')).err).toContain('has no field')
    expect((await explain('lines.descripton', {}, '--offline')).err).toContain('has no field')
  })

  test('finds items of lists by the names that plans have for them', async () => {
    const field = (await explain('lots.feature_layer.fields.use', {}, '--offline')).out
    expect(field).toBe(`lots.feature_layer.fields.use.keyname  "use"
    city.yaml:38:21
lots.feature_layer.fields.use.datatype  "STRING"
    city.yaml:38:35
lots.feature_layer.fields.use.display_name  "Use of the lot"
    city.yaml:38:53
`)
    expect((await explain('lots.feature_layer.fields[1]', {}, '--offline')).out).toBe(field)
    // Names may have dots.
    const layer = await explain('lots_wfs.wfsserver_service.layers.lots.all.display_name', {}, '--offline')
    expect(layer.out).toContain('layers.lots.all.display_name  "All lots"')
    const missing = await explain('lots.feature_layer.fields.area', {}, '--offline')
    expect(missing.err).toContain('has no field "lots.feature_layer.fields.area"')
    expect(missing.err).toContain('hint: There are: code, use.')
    const near = await explain('lots.feature_layer.fields.cod', {}, '--offline')
    expect(near.err).toContain('did you mean "code"?')
  })

  test('tells that a user, a group or a record omits a field', async () => {
    const unset = 'the manifest does not set it, and it has no default'
    const { out } = await runCommand(['explain', 'roads.display_name', 'same.yaml', '--offline'], { cwd })
    expect(out).toContain(`roads.display_name  (none)\n    ${unset}\n`)
    expect(out).toContain('roads.display_name  "Roads"\n')
    expect((await explain('ivy.description', {}, '--offline')).out).toContain(unset)
    expect((await explain('ivy.members', {}, '--offline')).err).toContain('has no field "ivy.members"')
  })

  test('refuses names that the manifest does not have', async () => {
    const { err, exit } = await explain('linse')
    expect(exit).toBe(3)
    expect(err).toContain('The manifest has no key "linse".\n  hint: did you mean "lines"?')
    expect((await explain('lines.colour')).err).toContain('The manifest has no field "lines.colour"')
  })
})

describe.each(drivers)('explain with a server on %s', (driver) => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer(driver)
  })
  afterAll(() => server.stop())

  test('tells what the server has', async () => {
    const env = { ...administratorEnv(server.url), IVY_PASSWORD: 'a quiet evening', CITY: 'Oslo' }
    expect((await explain('city.north.display_name', env)).out).toContain('server: does not exist yet')
    const applied = await runCommand(['apply', 'city.yaml', '--yes'], { cwd, env })
    expect(applied.exit).toBe(0)
    expect((await explain('city.north.display_name', env)).out).toContain('server: the same')
    await writeFile(join(cwd, 'city.yaml'), manifest('South'))
    const { out } = await explain('city.north', env)
    await writeFile(join(cwd, 'city.yaml'), manifest('North'))
    expect(out).toContain('"South"\n    city.yaml:11:9\n    server: "North"\n')
    const [{ resource = { id: 0 } } = {}] = await (
      await server.admin('GET', '/api/resource/search/?keyname=lines')
    ).json<{ resource: { id: number } }[]>()
    expect((await explain('lines.description', env)).out).toContain('server: (none)')
    await server.admin('PUT', `/api/resource/${resource.id}`, { resource: { description: 'By hand' } })
    expect((await explain('lines.description', env)).out).toContain('server: "By hand"')
    const edited = await server.admin('GET', '/api/resource/search/?keyname=lots')
    const [lots] = await edited.json<{ resource: { id: number } }[]>()
    const fields = [{ keyname: 'code' }, { keyname: 'use', display_name: 'Usage' }]
    await server.admin('PUT', `/api/resource/${lots?.resource.id}`, { feature_layer: { fields } })
    const item = await explain('lots.feature_layer.fields.use.display_name', env)
    expect(item.out).toContain('server: "Usage"')
    const refused = await explain('city.north.display_name', { ...env, LANDFORM_PASSWORD: 'wrong words' })
    expect(refused.err).toContain('note: the values of the server are not shown: ')
    expect(refused.exit).toBe(0)
  })

  test('tells resources, records, users and groups with one key apart', async () => {
    const env = administratorEnv(server.url)
    const run = (...words: readonly string[]) => runCommand(words, { cwd, env })
    expect((await run('apply', 'same.yaml', '--yes')).exit).toBe(0)
    await writeFile(join(cwd, 'same.yaml'), sameKeys('Streets'))
    const { out } = await run('explain', 'roads.display_name', 'same.yaml')
    expect(out).toContain('"Streets"\n    same.yaml:8:')
    expect(out).toContain('server: "Roads"\n')
    expect(out).toMatch(/roads.display_name {2}\(none\)\n.*\n {4}server: "roads"\n/)
    expect((await run('explain', 'roads.name', 'same.yaml')).out).toContain('server: the same\n')
    expect((await run('explain', 'roads.description', 'same.yaml')).out).toContain('server: the same\n')
    await writeFile(join(cwd, 'same.yaml'), sameKeys('Roads'))
  })
})
