import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const main = `# The town
manifest: town

resources:
  root:
    existing: true
    id: 0
    children:
      town:
        cls: resource_group
        display_name: Town   # as on the map
        children:
          # nothing below yet
          empty: { cls: resource_group, display_name: Empty }
          north: { use: area, with: { title: North } }
          south: { use: area, with: { title: South } }
`
const roads = `manifest: town

resources:
  # in a file of its own
  roads:
    cls: vector_layer
    parent: town
    description: Roads   # of the town
    display_name: 'Roads'
    vector_layer: { geometry_type: LINESTRING, srs: { id: 3857 } }
    feature_layer:
      fields: [{ keyname: name, datatype: STRING }]
`
const fragments = `manifest: town

fragments:
  area:
    parameters:
      title: { type: string }
    resources:
      \${param.key}:
        cls: resource_group
        display_name: \${param.title}
        description: An area
`
const style = "<map><layer><class><style><color red='9' green='9' blue='9'/></style></class></layer></map>"

describe.each(oneDriver)('a pull into a manifest of several files on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-split-'))
    await mkdir(join(cwd, 'town/layers'), { recursive: true })
    await writeFile(join(cwd, 'town/main.yaml'), main)
    await writeFile(join(cwd, 'town/layers/roads.yaml'), roads)
    await writeFile(join(cwd, 'town/fragments.yaml'), fragments)
    const applied = await run('apply', 'town', '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => {
    const env = administratorEnv(server.url)
    return runCommand(words, { cwd, env })
  }
  const idOf = async (key: string) => {
    const found = await (await server.admin('GET', `/api/resource/search/?keyname=${key}`)).json<
      { resource: { id: number } }[]
    >()
    return found[0]?.resource.id ?? 0
  }
  const edit = async (key: string, resource: object) => {
    const changed = await server.admin('PUT', `/api/resource/${await idOf(key)}`, { resource })
    expect(changed.status).toBe(200)
  }
  const create = async (cls: string, resource: object, members: object = {}) => {
    const made = await server.admin('POST', '/api/resource/', { resource: { cls, ...resource }, ...members })
    expect(made.status).toBe(200)
    return (await made.json<{ id: number }>()).id
  }
  const read = (name: string) => readFile(join(cwd, 'town', name), 'utf8')
  const texts = async () => [
    await read('main.yaml'),
    await read('layers/roads.yaml'),
    await read('fragments.yaml'),
  ]

  test('writes each value into the file of its block, and reports those of fragments', async () => {
    await edit('town', { display_name: 'City' })
    await edit('roads', { description: 'Streets' })
    await edit('south', { description: 'The south' })
    const pulled = await run('pull', 'town')
    expect(pulled.exit).toBe(0)
    expect(pulled.err).toContain('2 values of 2 files changed.')
    expect(pulled.err).toMatch(
      /fragments\.yaml:11:\d+ warning pull\/not-written: "south": description is not written, because it is in the fragment area, used at town\/main\.yaml:16:11; the server has "The south"/,
    )
    expect(await texts()).toEqual([
      main.replace('Town   #', 'City   #'),
      roads.replace('Roads   #', 'Streets   #'),
      fragments,
    ])
    await edit('south', { description: 'An area' })
    expect((await run('plan', 'town')).out).toContain('0 changes')
  })

  test('writes new resources, with those below them, into the file of their parent', async () => {
    const [before, layers] = await texts()
    const styleId = await create(
      'mapsrv_style',
      { parent: { id: await idOf('roads') }, display_name: 'Grey roads' },
      { mapsrv_style: { xml: style } },
    )
    const group = await create('resource_group', {
      ...{ parent: { id: await idOf('empty') }, display_name: 'New group', description: 'Made by hand' },
    })
    const item = { item_type: 'layer', display_name: 'Roads', layer_style_id: styleId }
    await create(
      'webmap',
      { parent: { id: group }, display_name: 'Map', keyname: 'new_map' },
      { webmap: { root_item: { item_type: 'root', children: [item] } } },
    )
    await create('resource_group', { parent: { id: await idOf('south') }, display_name: 'Below a fragment' })
    const pulled = await run('pull', 'town')
    expect([pulled.exit, pulled.err]).toEqual([0, expect.stringContaining('2 values of 2 files changed.')])
    expect(pulled.err).toContain(
      '"south": below_a_fragment is not written, because it is in the fragment area',
    )
    const [after, written] = await texts()
    // The lines of before are there, in their order.
    for (const [old = '', next = ''] of [[layers, written]]) expect(next.startsWith(old.trimEnd())).toBe(true)
    expect(after).toContain('# nothing below yet')
    expect(before?.split('\n').filter((line) => !line.includes('empty:'))).toEqual(
      after?.split('\n').filter((line) => before?.includes(`${line}\n`) && !line.includes('empty:')),
    )
    expect(written).toContain('    children:\n      grey_roads:\n        cls: mapsrv_style\n')
    expect(after).toMatch(
      /empty: .*new_group.*description: Made by hand.*children: \{ ?new_map: .*grey_roads/,
    )
    const planned = await run('plan', 'town')
    // Two of them get keynames.
    expect(planned.out).toContain('1 to adopt, 2 to update, 6 unchanged')
    expect(planned.out).not.toMatch(/^ {6}(?!managed by this|keyname {2}null)/m)
    expect((await run('apply', 'town', '--yes')).exit).toBe(0)
    expect((await run('plan', 'town')).out).toContain('0 changes')
    expect((await run('pull', 'town', '--dry-run')).out).toBe('')
  })
})
