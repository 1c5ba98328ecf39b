import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { adminPassword, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const manifest = `manifest: city
groups:
  planners: { display_name: Planners }
resources:
  root:
    existing: true
    id: 0
    permissions:
      include:
        - { action: allow, principal: group:planners, scope: resource, permission: read, propagate: false }
    children:
      lots:
        cls: vector_layer
        display_name: Lots
        permissions:
          # planners edit
          - { action: allow, principal: group:planners, scope: resource, permission: update, propagate: false }
          # everybody reads
          - { action: allow, scope: resource, permission: read, propagate: false, principal: everyone }
          # nobody else
          - { action: deny, principal: guest, scope: resource, permission: delete, propagate: false }
        vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
        feature_layer:
          fields:
            # the key
            - { keyname: code, datatype: STRING }   # by the office
            # how it is used
            - { keyname: use, datatype: STRING }   # R, C, I
            # no longer needed
            - { keyname: old, datatype: STRING }   # gone soon
        children:
          red: { cls: mapsrv_style, display_name: Red, mapsrv_style: { xml: &xml "<map><layer><class><style><color red='9' green='0' blue='0'/></style></class></layer></map>" } }
          blue: { cls: mapsrv_style, display_name: Blue, mapsrv_style: { xml: *xml } }
      town_map:
        cls: webmap
        display_name: Map
        webmap:
          root_item:
            item_type: root
            children:
              # drawn first
              - item_type: layer
                display_name: Red   # the old one
                layer_style_id: red
                layer_enabled: true
              # drawn last
              - { item_type: layer, display_name: Blue, layer_style_id: blue }
`

interface Body {
  readonly resource: { readonly id: number; readonly permissions: readonly { principal: { id: number } }[] }
  readonly feature_layer: { readonly fields: readonly object[] }
  readonly webmap: { readonly root_item: { readonly children: readonly object[] } }
}

describe.each(oneDriver)('a pull of lists on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-lists-'))
    await writeFile(join(cwd, 'city.yaml'), manifest)
    const applied = await run('apply', 'city.yaml', '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) =>
    runCommand([...words, '--server', server.url], {
      cwd,
      env: { LANDFORM_USER: 'administrator', LANDFORM_PASSWORD: adminPassword },
    })
  const read = async (key: string) => {
    const path = `/api/resource/search/?keyname=${key}&serialization=full`
    const [found] = await (await server.admin('GET', path)).json<Body[]>()
    return found as Body
  }
  const edit = async (key: string, change: (body: Body) => object) => {
    const body = await read(key)
    const changed = await server.admin('PUT', `/api/resource/${body.resource.id}`, change(body))
    expect([changed.status, changed.status === 200 ? '' : await changed.text()]).toEqual([200, ''])
  }
  const text = () => readFile(join(cwd, 'city.yaml'), 'utf8')

  it('adds and removes rules and fields, and leaves the others with their comments', async () => {
    await edit('lots', ({ resource: { permissions }, feature_layer: { fields } }) => {
      const [rule] = permissions
      const added = { ...rule, action: 'allow', scope: 'data', permission: 'read', identity: '' }
      const [code, use, old] = fields
      const note = { keyname: 'note', datatype: 'STRING', display_name: 'Note' }
      return {
        resource: { permissions: [added, ...permissions] },
        feature_layer: { fields: [code, note, use, { ...old, delete: true }] },
      }
    })
    const { exit, out } = await run('pull', 'city.yaml')
    expect(exit).toBe(0)
    const lines = out.split('\n').filter((line) => /^[+-] /.test(line))
    expect(lines).toEqual([
      expect.stringMatching(/^\+ {10}- \{ action: allow, principal: .*, scope: data, permission: read/),
      '+            - { keyname: note, datatype: STRING, display_name: Note }',
      '-            # no longer needed',
      '-            - { keyname: old, datatype: STRING }   # gone soon',
    ])
    expect((await run('plan', 'city.yaml')).out).toContain('0 changes')
  })

  it('moves the layers of a web map as they are written', async () => {
    const before = await text()
    await edit('town_map', ({ webmap: { root_item } }) => {
      return { webmap: { root_item: { ...root_item, children: root_item.children.toReversed() } } }
    })
    expect((await run('pull', 'city.yaml')).exit).toBe(0)
    const at = before.indexOf('              # drawn first')
    const [head, items] = [before.slice(0, at), before.slice(at)]
    const [red, blue] = items.split(/(?=^ *# drawn last)/m)
    expect(await text()).toBe(`${head}${blue}${red}`)
    expect((await run('plan', 'city.yaml')).out).toContain('0 changes')
  })

  it('keeps the rules that a manifest includes in resources above a new one', async () => {
    const pulled = await run('pull', '--root', 'lots', '--manifest', 'city', '--into', 'part')
    expect(pulled.exit).toBe(0)
    const written = await readFile(join(cwd, 'part/city.yaml'), 'utf8')
    expect(written).toContain('include:\n')
    expect(written.match(/principal: planners/g)).toHaveLength(2)
    const planned = await run('plan', 'part')
    expect([planned.exit, planned.out]).toEqual([0, expect.stringContaining('Plan for city: 0 changes')])
    await writeFile(join(cwd, 'part/city.yaml'), written.replace(/\n {4}permissions:\n {6}include:\n.*/, ''))
    expect((await run('plan', 'part')).out).toContain('planners')
  })

  it('names a new style by its key in the web map that shows it', async () => {
    await writeFile(join(cwd, 'city.yaml'), (await text()).replace('display_name: Map', 'display_name: Town'))
    expect((await run('apply', 'city.yaml', '--yes')).exit).toBe(0)
    const lots = await read('lots')
    const style =
      "<map><layer><class><style><color red='1' green='2' blue='3'/></style></class></layer></map>"
    const made = await server.admin('POST', '/api/resource/', {
      resource: { cls: 'mapsrv_style', parent: { id: lots.resource.id }, display_name: 'By hand' },
      mapsrv_style: { xml: style },
    })
    const { id } = await made.json<{ readonly id: number }>()
    await edit('town_map', ({ webmap: { root_item } }) => {
      const item = { item_type: 'layer', display_name: 'By hand', layer_style_id: id }
      return { webmap: { root_item: { ...root_item, children: [...root_item.children, item] } } }
    })
    expect((await run('pull', 'city.yaml')).exit).toBe(0)
    expect(await text()).toMatch(/layer_style_id: by_hand\b/)
    const planned = await run('plan', 'city.yaml')
    expect(planned.out).not.toContain('town_map')
    expect((await run('apply', 'city.yaml', '--yes')).exit).toBe(0)
    await writeFile(
      join(cwd, 'city.yaml'),
      (await text()).replace('layer_style_id: by_hand', `layer_style_id: { id: ${id} }`),
    )
    expect((await run('plan', 'city.yaml')).out).toContain('0 changes')
  })
})
