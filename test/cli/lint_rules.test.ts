import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Ran, runCommand } from './terminal.ts'

let cwd: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'landform-lint-rules-'))
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const allow = (principal: string, scope: string, permission = "''", more = '') =>
  `{ action: allow, principal: ${principal}, scope: ${scope}, permission: ${permission}, propagate: true${more} }`

interface City {
  readonly rules?: readonly string[]
  readonly roadRules?: readonly string[]
  readonly more?: string
}

const listOf = (rules: readonly string[], indent: string) =>
  rules.length === 0 ? '[]' : rules.map((rule) => `\n${indent}- ${rule}`).join('')

/** A group with a layer `roads`, its style `lines` and the web map `map`, which shows the style; line 6 has the first rule. */
const city = ({ rules = [], roadRules, more = '' }: City) => `manifest: city
resources:
  city:
    cls: resource_group
    display_name: City
    parent: root
    permissions: ${listOf(rules, '      ')}
    children:
      roads:
        cls: vector_layer
        display_name: Roads${roadRules === undefined ? '' : `\n        permissions: ${listOf(roadRules, '          ')}`}
        vector_layer: { geometry_type: POINT, srs: { id: 3857 } }
        children:
          lines:
            cls: desk_vector_style
            display_name: Lines
            desk_vector_style: { qml: <qgis/> }
      map:
        cls: webmap
        display_name: Map
        webmap:
          root_item:
            item_type: root
            children:
              - { item_type: layer, display_name: Roads, layer_style_id: lines }
${more}  root: { existing: true, id: 0 }
`

/** Findings as `line:column code message`. */
async function findings(text: string, ...words: string[]): Promise<string[]> {
  await writeFile(join(cwd, 'city.yaml'), text)
  const { out } = await lint('city.yaml', ...words, '--json')
  return issuesOf(out)
}

const lint = (...words: string[]): Promise<Ran> => runCommand(['lint', ...words], { cwd })

const issuesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map(
      (line) =>
        JSON.parse(line) as {
          type: string
          span: { line: number; column: number }
          code: string
          message: string
        },
    )
    .filter(({ type, code }) => type === 'issue' && !code.startsWith('style/'))
    .map(({ span, code, message }) => `${span.line}:${span.column} ${code} ${message}`)

const everything = [
  allow('everyone', 'resource', 'read'),
  allow('everyone', 'data', 'read'),
  allow('everyone', 'webmap'),
]

describe('lint finds', () => {
  test('nothing in a manifest whose map and layers guests can read', async () => {
    expect(await findings(city({ rules: everything }))).toEqual([])
  })

  test('layers that only administrators can read', async () => {
    expect(await findings(city({ rules: [allow('administrators', 'data')] }))).toEqual([
      '10:7 lint/unseen-layer no rule lets anyone but administrators read the layer "roads"',
    ])
    // Reading data requires reading the resource.
    expect(await findings(city({ rules: [allow('editors', 'data', 'read')] }))).toHaveLength(1)
    expect(await findings(city({ rules: [allow('editors', 'data'), allow('editors', 'resource')] }))).toEqual(
      [],
    )
    expect(await findings(city({ rules: [allow('owner', 'data'), allow('owner', 'resource')] }))).toEqual([])
  })

  test('rules that allow guests to write', async () => {
    const rules = [...everything, allow('everyone', 'data')]
    expect(await findings(city({ rules }))).toEqual([
      '11:9 lint/public-write the rules of "city" allow guests data.write on 2 resources',
    ])
    const deny = allow('guest', 'data', 'write').replace('allow', 'deny')
    expect(await findings(city({ rules: [...rules, deny] }))).toEqual([])
    expect(await findings(city({ rules: [...everything.slice(1), allow('everyone', 'resource')] }))).toEqual([
      '10:9 lint/public-write the rules of "city" allow guests resource.create on 4 resources',
    ])
  })

  test('rules that let guests see what signed-in users do not', async () => {
    const rules = everything.map((rule) => rule.replace('everyone', 'guest'))
    expect(await findings(city({ rules }))).toEqual([
      '8:9 lint/guests-only the rules of "city" allow guests resource.read on 4 resources, and signed-in users not',
    ])
    expect(await findings(city({ rules: [...rules, ...everything] }))).toEqual([])
    expect(
      await findings(
        city({ rules: [...rules, ...everything.map((rule) => rule.replace('everyone', 'authenticated'))] }),
      ),
    ).toEqual([])
  })

  test('web maps with layers that their readers cannot read', async () => {
    const rules = [...everything, allow('editors', 'resource', 'read')]
    const roadRules = [allow('guest', 'data', 'read').replace('allow', 'deny'), allow('editors', 'data')]
    expect(await findings(city({ rules, roadRules }))).toEqual([
      expect.stringMatching(
        /^32:74 lint\/unreadable-layer the web map "map" shows "lines", but guests can display the map without data.read on "roads", which data.read on "lines" requires$/,
      ),
    ])
  })

  test('web maps with layers of services whose connections their readers may not use', async () => {
    const more = `  service:
    cls: wmsclient_connection
    display_name: Service
    parent: city
    wmsclient_connection: { url: 'https://maps.example.org/wms', version: 1.3.0 }
  rails:
    cls: wmsclient_layer
    display_name: Rails
    parent: city
    wmsclient_layer: { connection: service, wmslayers: rails, imgformat: image/png, srs: { id: 3857 } }
  railmap:
    cls: webmap
    display_name: Rail map
    parent: city
    webmap:
      root_item:
        item_type: root
        children:
          - { item_type: layer, display_name: Rails, layer_style_id: rails }
`
    const rules = [...everything, allow('editors', 'connection', 'connect')]
    expect(await findings(city({ rules, more }))).toEqual([
      expect.stringMatching(
        /lint\/unreadable-layer the web map "railmap" shows "rails", but .* can display the map without connection.connect on "service", which data.read on "rails" requires$/,
      ),
    ])
    const { out } = await lint('city.yaml')
    expect(out).toContain('hint: Allow connection.connect on "service", or remove the layer from the map.')
    expect(
      await findings(city({ rules: [...rules, allow('everyone', 'connection', 'connect')], more })),
    ).toEqual([])
  })

  test('styles that no web map or service uses, and names that differ only by case', async () => {
    const more = `  second:
    cls: desk_vector_style
    display_name: lines
    parent: roads
    desk_vector_style: { qml: <qgis/> }
`
    expect(await findings(city({ rules: everything, more }))).toEqual([
      '29:3 lint/unused-style no web map or service uses the style "second"',
      '31:19 lint/similar-names the display names of "lines" and "second", "Lines" and "lines", differ only by case',
    ])
  })

  test('data with two owners', async () => {
    const point = '{"type":"FeatureCollection","features":[]}'
    await writeFile(join(cwd, 'roads.geojson'), point)
    await mkdir(join(cwd, 'pipelines'))
    await mkdir(join(cwd, 'manifests'))
    const pipeline = (name: string) =>
      `pipeline: ${name}\nfrom: { file: ../roads.geojson }\nto: { layer: roads }\n`
    await writeFile(join(cwd, 'pipelines', 'daily.yaml'), pipeline('daily'))
    const data = 'data: { source: ../roads.geojson }'
    const text = city({ rules: everything }).replace(
      'vector_layer: { geometry_type: POINT, srs: { id: 3857 } }',
      data,
    )
    await writeFile(join(cwd, 'manifests', 'city.yaml'), text)
    const { out } = await lint('--json')
    expect(issuesOf(out)).toEqual([
      '3:7 lint/two-sources the data of "roads" are loaded here and at manifests/city.yaml:15:15',
    ])
    await writeFile(join(cwd, 'city.yaml'), city({ rules: everything }))
    await writeFile(join(cwd, 'pipelines', 'hourly.yaml'), pipeline('hourly'))
    const two = await lint('city.yaml', '--pipelines', 'pipelines', '--json')
    expect(issuesOf(two.out)).toEqual([
      '3:7 lint/two-sources the data of "roads" are loaded here and at pipelines/daily.yaml:3:7',
    ])
  })
})

describe('lint leaves out', () => {
  const unseen = city({ rules: [allow('administrators', 'data')] })

  test('codes of the command line, which must exist', async () => {
    expect(await findings(unseen, '--ignore', 'lint/unseen-layer')).toEqual([])
    const ran = await lint('city.yaml', '--ignore', 'lint/unseen-layr')
    expect([ran.exit, ran.err]).toEqual([3, expect.stringContaining('lint/unseen-layer')])
  })

  test('codes of comments on the line, the line above, or for the file', async () => {
    const onLine = (text: string, suffix: string) => text.replace('      roads:', `      roads:${suffix}`)
    expect(await findings(onLine(unseen, ' # lint-ignore lint/unseen-layer'))).toEqual([])
    const above = unseen.replace('      roads:', '      # lint-ignore lint/unseen-layer\n      roads:')
    expect(await findings(above)).toEqual([])
    expect(await findings(`# lint-ignore-file lint/unseen-layer\n${unseen}`)).toEqual([])
  })

  test('nothing for comments without effect, which it reports', async () => {
    expect(await findings(`# lint-ignore lint/unseen-layer, lint/nonsense\n${unseen}`)).toEqual([
      '1:1 lint/unused-ignore no finding lint/unseen-layer to ignore here',
      '1:1 lint/unused-ignore unknown code "lint/nonsense"',
      expect.stringContaining('lint/unseen-layer'),
    ])
  })

  test('permissions, if the manifest has none', async () => {
    const none = city({}).replace(/ {4}permissions: \[\]\n/, '')
    expect(await findings(none)).toEqual([])
  })
})

test('lint --strict fails on findings, and options for servers need one', async () => {
  await writeFile(join(cwd, 'city.yaml'), city({ rules: [allow('administrators', 'data')] }))
  expect((await lint('city.yaml')).exit).toBe(0)
  const strict = await lint('city.yaml', '--strict')
  expect([strict.exit, strict.out]).toEqual([
    3,
    expect.stringMatching(/\n5 resources, 1 style, 2 warnings\n$/),
  ])
  expect((await lint('city.yaml', '--root', 'city')).exit).toBe(3)
  expect((await lint('city.yaml', '--server', 'http://127.0.0.1:9')).exit).toBe(3)
})
