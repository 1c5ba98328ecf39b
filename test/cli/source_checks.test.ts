import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { administratorEnv, startTestServer, type TestServer } from '../support/server.ts'
import { geojson, point } from '../support/vector.ts'
import { runCommand } from './terminal.ts'

let server: TestServer
let cwd: string

beforeAll(async () => {
  server = await startTestServer('postgres')
  cwd = await mkdtemp(join(tmpdir(), 'landform-sources-'))
  const features = ['2', 'four', '3', 'many'].map((lanes, at) => ({
    geometry: point(at, 1),
    properties: { name: `n${at}`, lanes },
  }))
  await writeFile(join(cwd, 'roads.geojson'), geojson(features))
  await writeFile(join(cwd, 'broken.geojson'), 'no data')
})

afterAll(async () => {
  await server.stop()
  await rm(cwd, { recursive: true, force: true })
})

const run = (...words: readonly string[]) => runCommand(words, { cwd, env: administratorEnv(server.url) })

interface Layer {
  readonly fields?: string
  readonly data?: string
  readonly styled?: string
}

async function write(file: string, { fields = '', data = 'source: roads.geojson', styled = 'name' }: Layer) {
  const text = `manifest: ${file}
resources:
  root: { existing: true, id: 0 }
  ${file}:
    cls: vector_layer
    parent: root
    display_name: ${file}
    data: { ${data} }
${fields === '' ? '' : `    feature_layer:\n      fields:\n        - ${fields}\n`}    children:
      ${file}_style:
        cls: mapsrv_style
        display_name: Style
        mapsrv_style:
          xml: |
            <map>
              <layer>
                <classitem>${styled}</classitem>
                <class><expression>n1</expression><style><color red="1" green="2" blue="3"/></style></class>
              </layer>
            </map>
`
  await writeFile(join(cwd, `${file}.yaml`), text)
}

describe('a source of a manifest', () => {
  const lanes = '{ keyname: lanes, datatype: INTEGER }'
  const unconvertible = `.yaml:11:39 error plan/unconvertible: 2 values of the field "lanes" in the source of `
  const first = 'cannot be converted from STRING to INTEGER: feature 2 has "four", feature '

  it('is refused if its values do not fit a declared datatype, in validate and plan, with the first of them', async () => {
    await write('typed', { fields: lanes, styled: 'lanes' })
    const validated = await run('validate', 'typed.yaml')
    expect(validated.out).toContain(`typed${unconvertible}"typed" ${first}`)
    expect(validated.exit).toBe(3)
    const applied = await run('apply', 'typed.yaml', '--yes')
    expect([applied.exit, applied.err]).toEqual([
      1,
      expect.stringContaining(`typed${unconvertible}"typed" ${first}`),
    ])
    expect((await run('validate', 'typed.yaml', '--no-data')).exit).toBe(0)
  })

  it('is refused in the plan of a load that replaces a layer, and synchronizes it', async () => {
    await write('replaced', { styled: 'lanes' })
    expect((await run('apply', 'replaced.yaml', '--yes')).exit).toBe(0)
    await write('replaced', { fields: lanes, styled: 'lanes' })
    const options = ['--overwrite-data', 'replaced', '--allow-loss', 'replaced']
    expect((await run('plan', 'replaced.yaml', ...options)).err).toContain(first)
    await write('replaced', { fields: lanes, data: 'source: roads.geojson, mode: sync, key: lanes' })
    const synced = await run('plan', 'replaced.yaml', ...options)
    expect([synced.exit, synced.err]).toEqual([1, expect.stringContaining('feature 2')])
  })

  it('may differ from the fields of a layer that was seeded from it', async () => {
    await write('seeded', { fields: lanes, data: 'source: roads.geojson, mode: seed', styled: 'lanes' })
    const validated = await run('validate', 'seeded.yaml')
    expect([validated.exit, validated.out]).toEqual([
      0,
      expect.stringContaining('warning plan/unconvertible'),
    ])
  })

  it('is not loaded again for fields that are added to a seeded layer, and plan and report say so', async () => {
    const field = (name: string) => `{ keyname: ${name}, datatype: STRING }`
    const seeded = (...names: readonly string[]) =>
      write('kept', {
        fields: names.map(field).join('\n        - '),
        data: 'source: roads.geojson, mode: seed',
      })
    await seeded('name')
    expect((await run('apply', 'kept.yaml', '--yes')).exit).toBe(0)
    await seeded('name', 'lanes')
    const told = 'the field lanes is added without values for 4 features'
    const planned = await run('plan', 'kept.yaml')
    expect(planned.err).toContain(
      `kept.yaml:12:11 warning plan/no-values: ${told} in "kept": mode: seed does not`,
    )
    expect(planned.err).toContain('use --overwrite-data kept')
    expect((await run('plan', 'kept.yaml', '--overwrite-data', 'kept')).err).toBe('')
    const applied = await run('apply', 'kept.yaml', '--yes')
    expect(applied.out).toContain(`  kept: ${told}`)
    await seeded('name')
    expect((await run('apply', 'kept.yaml', '--yes')).err).not.toContain('warning')
    await seeded('name', 'lanes')
    expect((await run('plan', 'kept.yaml')).err).toContain(told)
    expect((await run('apply', 'kept.yaml', '--yes', '--overwrite-data', 'kept')).exit).toBe(0)
    expect((await run('data', 'head', 'kept', '--no-geom')).out).toContain('four')
  })

  it('has the fields that the style of its layer names, or the style is reported at its position', async () => {
    await write('styled', { styled: 'nome' })
    const missing =
      'styled.yaml:17:18 warning style/missing-field: styled_style.mapsrv_style.xml: the layer has no field "nome"'
    expect((await run('validate', 'styled.yaml')).out).toContain(missing)
    expect((await run('lint', 'styled.yaml')).out).toContain(missing)
    expect((await run('lint', 'styled.yaml', '--no-data')).out).not.toContain('missing-field')
    expect((await run('plan', 'styled.yaml')).err).toContain(missing)
    const applied = await run('apply', 'styled.yaml', '--yes')
    expect(applied.out).not.toContain('not drawn as the style says')
    expect((await run('plan', 'styled.yaml')).err).toContain(missing)
    await write('styled', { styled: 'name' })
    expect((await run('validate', 'styled.yaml')).out).not.toContain('warning')
    expect((await run('apply', 'styled.yaml', '--yes')).err).not.toContain('warning')
    await writeFile(
      join(cwd, 'other.geojson'),
      geojson([{ geometry: point(1, 1), properties: { title: 'n1' } }]),
    )
    await write('styled', { data: 'source: other.geojson, allow_loss: true' })
    expect((await run('plan', 'styled.yaml')).err).toContain('the layer has no field "name"')
  })

  it('is read by validate, with its faults at their position', async () => {
    await write('broken', { data: 'source: broken.geojson' })
    const validated = await run('validate', 'broken.yaml')
    expect([validated.exit, validated.out]).toEqual([
      3,
      expect.stringContaining(
        'broken.yaml:8:11 error source/unreadable: the source of "broken" cannot be loaded',
      ),
    ])
    await write('keyed', { data: 'source: roads.geojson, mode: sync, key: code' })
    expect((await run('validate', 'keyed.yaml')).out).toContain(
      'error data/key: "keyed" will have no field "code"',
    )
  })

  it('is read by validate although other parts of the manifest have errors, with the other sources and passwords', async () => {
    const layer = (key: string, rest: string) =>
      `  ${key}: { cls: vector_layer, parent: root, display_name: ${key}, ${rest} }\n`
    const text = `manifest: several
resources:
  root: { existing: true, id: 0, permissions: none }
${layer('absent', 'data: { source: absent.geojson }')}${layer('damaged', 'data: { source: broken.geojson }')}${layer('named', 'colour: red, data: { source: broken.geojson }')}${layer('orphan', 'data: { source: roads.geojson, mode: sync, key: code }').replace('root', 'nowhere')}${layer('unset', 'data: { source: "${env.NO_FOLDER}/roads.geojson" }')}${layer('optioned', 'data: { source: broken.geojson, skip_errors: 3 }')}users:
  ann: { display_name: Ann, colour: red, password: { file: ann.txt } }
`
    await writeFile(join(cwd, 'several.yaml'), text)
    await writeFile(join(cwd, 'ann.txt'), 'abc')
    const { exit, out } = await run('validate', 'several.yaml')
    const found = out.split('\n').filter((line) => line.startsWith('several.yaml:'))
    const places = found.map((line) => line.replace(/^several.yaml:(\d+):\d+ (\w+ [^:]*):.*$/, '$1 $2'))
    expect(exit).toBe(3)
    expect(places).toEqual([
      '3 error manifest/bad-value',
      '4 error file/not-found',
      '5 error source/unreadable',
      '6 error manifest/unknown-field',
      '6 error source/unreadable',
      '7 error manifest/unknown-reference',
      '7 error data/key',
      '8 error value/unknown-variable',
      '9 error manifest/bad-value',
      '11 error manifest/unknown-field',
      '11 warning principal/weak-password',
    ])
    const unread = await run('validate', 'several.yaml', '--no-data')
    expect(unread.out).not.toContain('source/unreadable')
    await writeFile(join(cwd, 'several_more.yaml'), 'manifest: several\nresources: {')
    const partial = await run('validate', 'several.yaml', 'several_more.yaml')
    expect(partial.out).toContain('several.yaml:5:')
    expect(partial.out).toContain('several_more.yaml:2:')
  })
})
