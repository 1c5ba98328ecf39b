import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneDriver } from '../support/drivers.ts'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { runCommand } from './terminal.ts'

const manifest = `manifest: city
resources:
  root:
    existing: true
    id: 0
    children:
      uses:
        cls: lookup_table
        display_name: Uses
        resmeta: { a: one, b: one, c: one }
        permissions:
          - { action: allow, principal: guest, scope: resource, permission: read, propagate: false }
          - { action: allow, principal: everyone, scope: resource, permission: read, propagate: false }
        lookup_table:
          items:
            res: Residential
            com: Commercial
            gone: Gone
            ind: Industrial
      lots:
        cls: vector_layer
        display_name: Lots
        vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
        feature_layer:
          fields:
            - { keyname: code, datatype: STRING, display_name: Code }
            - { keyname: use, datatype: STRING, display_name: Use }
            - { keyname: old, datatype: STRING, display_name: Old }
`

/** Origins of the differences. */
const expected = [
  'uses permissions server',
  'uses permissions manifest',
  'uses resmeta.a server',
  'uses resmeta.b manifest',
  'uses resmeta.c both',
  'uses lookup_table.items.res both',
  'uses lookup_table.items.own manifest',
  'uses lookup_table.items.ind manifest',
  'uses lookup_table.items.gone server',
  'uses lookup_table.items.new server',
  'uses lookup_table.items.on server',
  'lots feature_layer.fields.code.display_name server',
  'lots feature_layer.fields.use.display_name manifest',
  'lots feature_layer.fields.note server',
  'lots feature_layer.fields.old manifest',
]

interface Body {
  readonly resource: { readonly id: number; readonly permissions: readonly object[] }
  readonly lookup_table: { readonly items: Readonly<Record<string, string>> }
  readonly feature_layer: { readonly fields: readonly object[] }
}

describe.each(oneDriver)('maps and lists that the manifest and the server changed, on %s', (driver) => {
  let server: TestServer
  let cwd: string
  beforeAll(async () => {
    server = await startTestServer(driver)
    cwd = await mkdtemp(join(tmpdir(), 'landform-entries-'))
    await write(manifest)
    const applied = await run('apply', 'city.yaml', '--yes')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
  })
  afterAll(async () => {
    await server.stop()
    await rm(cwd, { recursive: true, force: true })
  })

  const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })
  const write = (text: string) => writeFile(join(cwd, 'city.yaml'), text)
  const edit = async (key: string, change: (body: Body) => object) => {
    const path = `/api/resource/search/?keyname=${key}&serialization=full`
    const [body] = await (await server.admin('GET', path)).json<Body[]>()
    if (body === undefined) throw new Error(key)
    const changed = await server.admin('PUT', `/api/resource/${body.resource.id}`, change(body))
    expect([changed.status, changed.status === 200 ? '' : await changed.text()]).toEqual([200, ''])
  }
  const originsOf = async () => {
    const { out } = await run('drift', 'city.yaml', '--json')
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as DriftEvent)
      .filter(({ type }) => type === 'drift')
    return events.flatMap(({ key, fields }) => fields.map(({ field, origin }) => `${key} ${field} ${origin}`))
  }

  it('are compared by entry, and what changed on the server alone is pulled', async () => {
    await edit('uses', ({ resource: { permissions }, lookup_table: { items } }) => {
      const { gone: _, ...rest } = items
      const added = { ...permissions[0], permission: 'update' }
      return {
        resource: { permissions: [...permissions, added] },
        lookup_table: { items: { ...rest, res: 'Housing', new: 'New', on: 'On' } },
        resmeta: { items: { a: 'server', c: 'server' } },
      }
    })
    await edit('lots', ({ feature_layer: { fields } }) => {
      const [code, use, old] = fields
      const note = { keyname: 'note', datatype: 'STRING', display_name: 'Note' }
      return { feature_layer: { fields: [{ ...code, display_name: 'Number' }, use, note, old] } }
    })
    await write(
      manifest
        .replace('res: Residential', 'res: Homes')
        .replace('ind: Industrial', 'ind: Industry')
        .replace('com: Commercial', 'com: Commercial\n            own: Own')
        .replace(/ +- \{ action: allow, principal: everyone.*\n/, '')
        .replace('b: one, c: one', 'b: manifest, c: manifest')
        .replace('display_name: Use }', 'display_name: Purpose }')
        .replace(/ +- \{ keyname: old.*\n/, ''),
    )
    expect((await originsOf()).sort()).toEqual(expected.toSorted())
    const pulled = await run('pull', 'city.yaml')
    expect(pulled.err).toMatch(/lookup_table\.items\.res changed in the manifest and on the server/)
    expect(pulled.err.match(/changed in the manifest and on the server/g)).toHaveLength(2)
    const changed = pulled.out.split('\n').filter((line) => /^[+-] /.test(line))
    expect(changed.map((line) => line.replace(/\s+/g, ' '))).toEqual([
      '- resmeta: { a: one, b: manifest, c: manifest }',
      '+ resmeta: { a: server, b: manifest, c: manifest }',
      expect.stringMatching(/^\+ - \{ action: allow, .*update/),
      '- gone: Gone',
      '+ new: New',
      '+ "on": "On"',
      '- - { keyname: code, datatype: STRING, display_name: Code }',
      '+ - { keyname: code, datatype: STRING, display_name: Number }',
      '+ - { keyname: note, datatype: STRING, display_name: Note }',
    ])
    // What the manifest changed is in it still.
    expect((await originsOf()).sort()).toEqual(
      expected.filter((line) => !line.endsWith(' server')).toSorted(),
    )
    expect(await readFile(join(cwd, 'city.yaml'), 'utf8')).toContain('own: Own')
  })

  it('tell the order that the manifest changed from items that the server got', async () => {
    const applied = await run('apply', 'city.yaml', '--yes', '--allow-loss', 'lots')
    expect([applied.exit, applied.exit === 0 ? '' : applied.err]).toEqual([0, ''])
    await edit('lots', ({ feature_layer: { fields } }) => ({
      feature_layer: { fields: [...fields, { keyname: 'more', datatype: 'STRING', display_name: 'More' }] },
    }))
    const text = await readFile(join(cwd, 'city.yaml'), 'utf8')
    const [code = '', use = ''] = text.match(/^ +- \{ keyname: .*\n/gm) ?? []
    await write(text.replace(code + use, use + code))
    expect(await originsOf()).toEqual([
      'lots feature_layer.fields.more server',
      'lots feature_layer.fields manifest',
    ])
    expect((await run('pull', 'city.yaml')).exit).toBe(0)
    expect(await originsOf()).toEqual(['lots feature_layer.fields manifest'])
  })
})

interface DriftEvent {
  readonly type: string
  readonly key: string
  readonly fields: readonly { readonly field: string; readonly origin: string }[]
}
