import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

const manifest = `# The town
manifest: town

resources:
  root:
    existing: true
    id: 0
    children:
      town:   # the group
        display_name: "Town"  # as on the map
        cls: resource_group
        children:
          base: &note { cls: resource_group, display_name: Base, description: Shared by two }
          a: { <<: *note, display_name: A }
          b: { cls: resource_group, display_name: '\${env.B_NAME:-B}' }
          lots:
            cls: vector_layer

            display_name: Lots
            vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
            feature_layer:
              fields:
                # the key
                - { keyname: code, datatype: STRING, display_name: Code }
                - keyname: size
                  datatype: INTEGER
                  display_name: Size   # in square metres
            children:
              lots_style:
                cls: mapsrv_style
                display_name: Style
                mapsrv_style: { xml: '\${file:style.xml}' }
`

const style = (red: number) =>
  `<map>\n  <layer><class><style><color red="${red}" green="0" blue="0"/></style></class></layer>\n</map>\n`

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-in-place-'))
  await writeFile(join(cwd, 'town.yaml'), manifest)
  await writeFile(join(cwd, 'style.xml'), style(1))
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

function run(...words: readonly string[]): Promise<Ran> {
  const env = administratorEnv(server.url)
  return runCommand(words, { cwd, env })
}

async function edit(key: string, body: object): Promise<void> {
  const [found] = await (
    await server.admin('GET', `/api/resource/search/?keyname=${key}&serialization=full`)
  ).json<{ resource: { id: number }; feature_layer?: { fields: { id: number; keyname: string }[] } }[]>()
  const changed = await server.admin('PUT', `/api/resource/${found?.resource.id}`, body)
  expect(changed.status).toBe(200)
}

it('writes what changed on the server into the manifest, and nothing else', async () => {
  const applied = await run('apply', 'town.yaml', '--yes')
  expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  const text = await readFile(join(cwd, 'town.yaml'), 'utf8')
  await edit('town', { resource: { display_name: 'City', description: 'Not in the manifest' } })
  await edit('lots', {
    feature_layer: { fields: [{ keyname: 'code' }, { keyname: 'size', display_name: 'Area' }] },
  })
  await edit('lots_style', { mapsrv_style: { xml: style(9) } })

  const dry = await run('pull', 'town.yaml', '--dry-run')
  expect([dry.exit, dry.err]).toEqual([0, '3 values of 2 files would change.\n'])
  expect(await readFile(join(cwd, 'town.yaml'), 'utf8')).toBe(text)
  expect(dry.out).toContain(
    '-        display_name: "Town"  # as on the map\n+        display_name: City  # as on the map\n',
  )
  expect(dry.out).toContain('-                  display_name: Size   # in square metres\n')

  expect((await run('pull', 'town.yaml')).out).toBe(dry.out)
  const expected = text
    .replace('display_name: "Town"  #', 'display_name: City  #')
    .replace('display_name: Size ', 'display_name: Area ')
  expect(await readFile(join(cwd, 'town.yaml'), 'utf8')).toBe(expected)
  expect(await readFile(join(cwd, 'style.xml'), 'utf8')).toBe(style(9))
  expect((await run('plan', 'town.yaml')).out).toBe('Plan for town: 0 changes, 7 unchanged.\n')
  expect((await run('pull', 'town.yaml')).err).toBe('The manifest has all values of the server.\n')
})

it('reports values that come from variables and anchors, with their place', async () => {
  const text = await readFile(join(cwd, 'town.yaml'), 'utf8')
  await edit('a', { resource: { description: 'Own' } })
  await edit('base', { resource: { display_name: 'Ground' } })
  await edit('b', { resource: { display_name: 'Other' } })
  const { err, out, exit } = await run('pull', 'town.yaml')
  expect([exit, out]).toEqual([0, ''])
  expect(err).toContain('"a": description is not written, because it comes through an anchor')
  expect(err).toMatch(/\n3 changes of the server are not written\.\n$/)
  expect(err).toMatch(
    /town\.yaml:\d+:\d+ warning pull\/not-written: "b": display_name is not written, because it comes/,
  )
  expect(await readFile(join(cwd, 'town.yaml'), 'utf8')).toBe(text)
  await edit('a', { resource: { description: 'Shared by two' } })
  await edit('base', { resource: { display_name: 'Base' } })
  await edit('b', { resource: { display_name: 'B' } })
})

it('keeps what changed in the manifest since the last apply, tells so, and takes the value of the server if asked', async () => {
  const applied = await readFile(join(cwd, 'town.yaml'), 'utf8')
  const text = (await readFile(join(cwd, 'town.yaml'), 'utf8')).replace(
    'display_name: Lots',
    'display_name: Plots',
  )
  await writeFile(join(cwd, 'town.yaml'), text)
  const left =
    '1 change of the manifest is not applied, and left alone: lots. ' +
    'See it with landform plan, and apply it, or write what the server has over it with landform pull --overwrite lots.\n'
  expect(await run('pull', 'town.yaml')).toMatchObject({ exit: 0, out: '', err: left })
  expect(await readFile(join(cwd, 'town.yaml'), 'utf8')).toBe(text)
  // An undo takes the apply back: its values in the manifest are not applied again.
  expect((await run('apply', 'town.yaml', '--yes')).exit).toBe(0)
  const [{ id } = { id: 0 }] = await (await server.admin('GET', '/api/component/landform/journal/')).json<
    { id: number }[]
  >()
  const undone = await run('undo', String(id), '--yes')
  expect([undone.exit, undone.exit === 0 ? '' : undone.err]).toEqual([0, ''])
  expect((await run('pull', 'town.yaml')).err).toBe(left)
  const json = await run('pull', 'town.yaml', '--json')
  expect(JSON.parse(json.out)).toMatchObject({ not_applied: [{ key: 'lots', fields: ['display_name'] }] })
  expect((await run('pull', 'town.yaml', '--overwrite', 'lotss')).err).toContain('did you mean "lots"')
  expect((await run('pull', 'town.yaml', '--overwrite', 'lots')).err).toBe('1 value of 1 file changed.\n')
  expect(await readFile(join(cwd, 'town.yaml'), 'utf8')).toBe(applied)
})

it('needs an output directory for a new manifest', async () => {
  const { exit, err } = await run('pull', '--root', 'town')
  expect([exit, err]).toEqual([3, expect.stringContaining('--into')])
})

it('names the new parent of a resource whose nested block cannot be moved', async () => {
  const idOf = async (key: string) => {
    const found = await server.admin('GET', `/api/resource/search/?keyname=${key}`)
    return (await found.json<{ resource: { id: number } }[]>())[0]?.resource.id
  }
  await edit('a', { resource: { parent: { id: await idOf('base') } } })
  const inside = await run('pull', 'town.yaml', '--dry-run')
  expect(inside.err).toContain(
    '"a": it was moved on the server to "base"; its block stays, because the block would change other values, because of anchors',
  )
  expect(inside.err).toContain('Move its block to the children of "base".')
  const other = { resource: { cls: 'resource_group', parent: { id: 0 }, display_name: 'Elsewhere' } }
  const { id } = await (await server.admin('POST', '/api/resource/', other)).json<{ id: number }>()
  await edit('a', { resource: { parent: { id } } })
  const outside = await run('pull', 'town.yaml', '--dry-run')
  expect(outside.err).toContain(`Elsewhere" (resource ${id}), outside of the manifest`)
})

const trees = `manifest: trees   # moved on the server

resources:
  root:
    existing: true
    id: 0
    children:
      # Where trees stand
      parks:
        cls: resource_group
        display_name: Parks
        children:
          # Oaks and others
          trees:
            cls: vector_layer
            display_name: "Trees"   # as on the map
            vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
            feature_layer:
              fields:
                # the key
                - { keyname: code, datatype: STRING, display_name: Code }
            children:
              trees_style:   # drawn in green
                cls: mapsrv_style
                display_name: Style
                mapsrv_style: { xml: '<map><layer><class/></layer></map>' }
          inner: { cls: resource_group, display_name: Inner }
      streets: { cls: resource_group, display_name: Streets }
      squares:
        cls: resource_group
        display_name: Squares
`

const movedTrees = `manifest: trees   # moved on the server

resources:
  root:
    existing: true
    id: 0
    children:
      streets: { cls: resource_group, display_name: Streets, children: { inner: { cls: resource_group, display_name: Inner } } }
      squares:
        cls: resource_group
        display_name: Squares
        children:
          # Where trees stand
          parks:
            cls: resource_group
            display_name: Parks
      # Oaks and others
      trees:
        cls: vector_layer
        display_name: Plants   # as on the map
        vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
        feature_layer:
          fields:
            # the key
            - { keyname: code, datatype: STRING, display_name: Code }
        children:
          trees_style:   # drawn in green
            cls: mapsrv_style
            display_name: Style
            mapsrv_style: { xml: '<map><layer><class/></layer></map>' }
`

it('moves the nested blocks of resources that were moved on the server, with their comments', async () => {
  await writeFile(join(cwd, 'trees.yaml'), trees)
  expect((await run('apply', 'trees.yaml', '--yes')).exit).toBe(0)
  const idOf = async (key: string) => {
    const found = await server.admin('GET', `/api/resource/search/?keyname=${key}`)
    return (await found.json<{ resource: { id: number } }[]>())[0]?.resource.id
  }
  await edit('trees', { resource: { parent: { id: 0 }, display_name: 'Plants' } })
  await edit('inner', { resource: { parent: { id: await idOf('streets') } } })
  await edit('parks', { resource: { parent: { id: await idOf('squares') } } })
  const { err, out, exit } = await run('pull', 'trees.yaml')
  expect([exit, err]).toEqual([0, '4 values of 1 file changed.\n'])
  expect(out).toContain('+          # Where trees stand\n')
  expect(await readFile(join(cwd, 'trees.yaml'), 'utf8')).toBe(movedTrees)
  expect((await run('plan', 'trees.yaml')).out).toBe('Plan for trees: 0 changes, 7 unchanged.\n')
  expect((await run('pull', 'trees.yaml')).err).toBe('The manifest has all values of the server.\n')
})

it('moves blocks that change places, the one above the other', async () => {
  const text = `manifest: turned
resources:
  root:
    existing: true
    id: 0
    children:
      upper:
        cls: resource_group
        display_name: Upper
        children:
          lower:
            cls: resource_group   # below
            display_name: Lower
`
  await writeFile(join(cwd, 'turned.yaml'), text)
  expect((await run('apply', 'turned.yaml', '--yes')).exit).toBe(0)
  const [lower] = await (await server.admin('GET', '/api/resource/search/?keyname=lower')).json<
    { resource: { id: number } }[]
  >()
  await edit('lower', { resource: { parent: { id: 0 } } })
  await edit('upper', { resource: { parent: { id: lower?.resource.id } } })
  expect((await run('pull', 'turned.yaml')).err).toBe('2 values of 1 file changed.\n')
  expect(await readFile(join(cwd, 'turned.yaml'), 'utf8')).toBe(`manifest: turned
resources:
  root:
    existing: true
    id: 0
    children:
      lower:
        cls: resource_group   # below
        display_name: Lower
        children:
          upper:
            cls: resource_group
            display_name: Upper
`)
  expect((await run('plan', 'turned.yaml')).out).toContain('0 changes')
})
