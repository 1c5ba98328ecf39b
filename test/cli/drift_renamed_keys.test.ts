import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { type Ran, runCommand } from './terminal.ts'

const style = '<map><layer><class><style><color red="9" green="9" blue="9"/></style></class></layer></map>'

describe.each(oneDriver)('drift after a rename of keys on %s', (driver) => {
  let server: TestServer
  let cwd: string

  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-drift-keys-'))
  })

  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  function run(...words: readonly string[]): Promise<Ran> {
    return runCommand(words, { cwd, env: administratorEnv(server.url) })
  }

  /** Writes a manifest whose layer, style, table and group have keys with an ending, and that refers to each of them. */
  async function write(end: string, was?: string, bookmarks = false): Promise<void> {
    const formerly = (key: string) => (was === undefined ? {} : { was: `${key}${was}` })
    const item = { item_type: 'layer', display_name: 'Places', layer_style_id: `sty${end}` }
    const nested = { item_type: 'group', display_name: 'Nested', children: [item] }
    const field = { keyname: 'kind', datatype: 'STRING', display_name: 'Kind', lookup_table: `tab${end}` }
    const resources = {
      root: { existing: true, id: 0 },
      [`tab${end}`]: {
        ...{ cls: 'lookup_table', parent: 'root', display_name: 'Kinds', ...formerly('tab') },
        lookup_table: { items: { a: 'A' } },
      },
      [`lay${end}`]: {
        ...{ cls: 'vector_layer', parent: 'root', display_name: 'Places', ...formerly('lay') },
        vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
        feature_layer: { fields: [field] },
      },
      [`sty${end}`]: {
        ...{ cls: 'mapsrv_style', parent: `lay${end}`, display_name: 'Style', ...formerly('sty') },
        mapsrv_style: { xml: style },
      },
      [`box${end}`]: {
        ...{ cls: 'resource_group', parent: 'root', display_name: 'Box', ...formerly('box') },
      },
      inner: { cls: 'resource_group', parent: `box${end}`, display_name: 'Inner' },
      wfs: {
        ...{ cls: 'wfsserver_service', parent: 'root', display_name: 'Features' },
        wfsserver_service: {
          layers: [{ keyname: 'a', display_name: 'First', resource_id: `lay${end}`, maxfeatures: 10 }],
        },
      },
      map: {
        ...{ cls: 'webmap', parent: 'root', display_name: 'Map' },
        webmap: {
          root_item: { item_type: 'root', children: [nested] },
          ...(bookmarks ? { bookmark_resource: `lay${end}` } : {}),
        },
      },
    }
    await writeFile(join(cwd, 'm.json'), JSON.stringify({ manifest: 'keys', resources }, null, 2))
  }

  async function apply(): Promise<void> {
    const applied = await run('apply', 'm.json', '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  }

  interface Found {
    readonly resource: { readonly id: number }
    readonly [member: string]: Readonly<Record<string, unknown>>
  }

  async function find(key: string): Promise<Found> {
    const path = `/api/resource/search/?keyname=${key}&serialization=full`
    const [found] = await (await server.admin('GET', path)).json<Found[]>()
    if (found === undefined) throw new Error(`no resource ${key}`)
    return found
  }

  async function edit(key: string, change: (found: Found) => object): Promise<void> {
    const found = await find(key)
    const { status } = await server.admin('PUT', `/api/resource/${found.resource.id}`, change(found))
    expect(status).toBe(200)
  }

  /** Changes a member as text. */
  const replace = (member: string, from: string, to: string) => (found: Found) => ({
    [member]: JSON.parse(JSON.stringify(found[member]).replace(from, to)) as object,
  })

  async function changeOnServer(end: string): Promise<void> {
    await edit('wfs', replace('wfsserver_service', '"First"', '"Primero"'))
    await edit('map', replace('webmap', '"Places"', '"Lugares"'))
    await edit(`lay${end}`, ({ feature_layer }) => {
      const fields = feature_layer?.fields as readonly object[]
      return { feature_layer: { fields: fields.map((field) => ({ ...field, display_name: 'Tipo' })) } }
    })
    await edit('inner', () => ({ resource: { parent: { id: 0 } } }))
  }

  async function originsOf(): Promise<Record<string, string>> {
    const { exit, err, out } = await run('drift', 'm.json', '--json')
    expect([exit, exit === 0 ? '' : err]).toEqual([0, ''])
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; key: string; fields: Field[] })
    const found = events.filter(({ type }) => type === 'drift')
    return Object.fromEntries(
      found.flatMap(({ key, fields }) => fields.map(({ field, origin }) => [`${key} ${field}`, origin])),
    )
  }

  it('is that of the server alone, and pulled', async () => {
    await write('')
    await apply()
    await write('2', '')
    const planned = await run('plan', 'm.json')
    expect(planned.out).toContain('3 to record, 4 to update, 1 unchanged')
    expect(planned.out).toContain('refers to renamed keys')
    await apply()
    expect((await run('plan', 'm.json')).out).toContain('0 changes')
    await write('2')
    expect((await run('plan', 'm.json')).out).toContain('0 changes')
    await changeOnServer('2')
    const origins = await originsOf()
    expect(origins).toEqual({
      'inner parent': 'server',
      'lay2 feature_layer.fields.kind.display_name': 'server',
      'map webmap.root_item.children.Nested.children.sty2.display_name': 'server',
      'wfs wfsserver_service.layers.a.display_name': 'server',
    })
    const pulled = await run('pull', 'm.json')
    expect([pulled.exit, pulled.exit === 0 ? '' : pulled.err]).toEqual([0, ''])
    const text = await readFile(join(cwd, 'm.json'), 'utf8')
    for (const value of ['Primero', 'Lugares', 'Tipo']) expect(text).toContain(`"display_name": "${value}"`)
    expect(() => JSON.parse(text) as unknown).not.toThrow()
    expect((await run('plan', 'm.json')).out).toContain('Plan for keys: 0 changes')
    // While a rename is not applied, too.
    await write('2')
    await apply()
    await changeOnServer('2')
    await write('3', '2')
    expect(await originsOf()).toEqual({
      ...Object.fromEntries(['box3', 'lay3', 'sty3', 'tab3'].map((key) => [`${key} keyname`, 'manifest'])),
      'inner parent': 'server',
      'lay3 feature_layer.fields.kind.display_name': 'server',
      'map webmap.root_item.children.Nested.children.sty3.display_name': 'server',
      'wfs wfsserver_service.layers.a.display_name': 'server',
    })
  })

  it('is not a change of references that a manifest drops in the same apply, which are reset', async () => {
    await write('3', '2')
    await apply()
    await write('4', '3', true)
    await apply()
    await write('5', '4')
    const planned = await run('plan', 'm.json')
    expect(planned.out).not.toContain('the value stays')
    await apply()
    expect((await find('map')).webmap?.bookmark_resource).toBeNull()
    expect((await run('plan', 'm.json')).out).toContain('0 changes')
  })
})

interface Field {
  readonly field: string
  readonly origin: string
}
