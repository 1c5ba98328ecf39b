import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { classes } from '../../src/contract/registry.ts'
import { parseYaml } from '../../src/document/parse_yaml.ts'
import { toValue } from '../../src/document/yaml_node.ts'
import { loadManifest } from '../../src/manifest/load_manifest.ts'
import { manifestSchema } from '../../src/manifest/schema/manifest_schema.ts'
import { fixtureEnv, fixtures, listCases, printIssues } from '../support/fixtures.ts'

const load = (path: string, cwd = fixtures) => loadManifest({ paths: [path], env: fixtureEnv, cwd })
const good = listCases('good')
const validate = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
  manifestSchema(),
)

/** Documents of a file as an editor sees them: expressions and all. */
function documentsOf(file: string): unknown[] {
  const text = readFileSync(`${fixtures}/${file}`, 'utf8').replace('\ufeff', '')
  const values = parseYaml(file, text).documents.map(({ root }) => toValue(root))
  return values.filter((value) => value !== null)
}

describe('a good manifest', () => {
  it.each(good)('$name loads without an issue', async ({ path }) => {
    const loaded = await load(path)
    expect(printIssues(loaded)).toBe('')
    expect(loaded.manifest?.resources.size).toBeGreaterThan(0)
  })

  it.each(good.filter(({ path }) => path.endsWith('.yaml')))('$name fits the printed schema', ({ path }) => {
    for (const value of documentsOf(path)) expect(validate(value) || validate.errors).toBe(true)
  })

  it('has every class', async () => {
    const { manifest } = await load('good/everything.yaml')
    const seen = new Set([...(manifest?.resources.values() ?? [])].map(({ cls }) => cls))
    expect([...seen].sort()).toEqual(Object.keys(classes).sort())
  })

  it('includes files unchanged, and returns which values come from files', async () => {
    const { manifest, sources } = await load('good/files.yaml')
    const style = readFileSync(`${fixtures}/good/style.xml`, 'utf8')
    expect(manifest?.resources.get('red')?.members.mapsrv_style).toEqual({ xml: style })
    expect(manifest?.resources.get('roads')?.description).toBe(
      'Licence: Ours.\n$${file:style.xml} ${env.COUNTRY}\n',
    )
    expect(sources.get('good/style.xml')).toBe(style)
  })

  it('converts each variable to the type of its field', async () => {
    const { manifest } = await load('good/variables.yaml')
    expect(manifest?.id).toBe('Norway')
    expect(manifest?.resources.get('root')?.existing).toBe(true)
    const database = manifest?.resources.get('database')
    expect(database?.protect).toBe(true)
    expect(database?.resmeta).toEqual({ port_as_text: '5433' })
    expect(database?.description).toBe('literal ${env.COUNTRY}, $NAME and {braces}')
    expect(database?.members.geodb_connection).toMatchObject({ hostname: 'localhost', password: 'hunter2' })
    expect(manifest?.resources.get('roads')?.members.vector_layer).toEqual({
      geometry_type: 'LINESTRING',
      srs: { id: 3857 },
    })
  })

  it('resolves anchors and merge keys', async () => {
    const { manifest } = await load('good/anchors.yaml')
    const memberOf = (key: string) => manifest?.resources.get(key)?.members.vector_layer
    expect(memberOf('b')).toEqual({ geometry_type: 'LINESTRING', srs: { id: 3857 } })
    expect(memberOf('c')).toEqual({ geometry_type: 'POLYGON', srs: { id: 3857 } })
    expect(manifest?.resources.get('a')?.permissions?.rules.map(({ scope }) => scope)).toEqual([
      'resource',
      'data',
    ])
  })
})

describe('the example manifest', () => {
  const root = fixtures.replace(/test\/fixtures$/, '')

  it('loads without an issue, parents before children', async () => {
    const loaded = await load('manifests/world.yaml', root)
    expect(printIssues(loaded)).toBe('')
    expect([...(loaded.manifest?.resources.keys() ?? [])]).toEqual([
      'root',
      'world',
      'cities',
      'cities_style',
      'countries',
      'countries_style',
      'world_map',
    ])
    expect(loaded.manifest?.resources.get('countries')?.data).toMatchObject({
      source: '../node_modules/world-atlas/countries-50m.json',
      options: { source_layer: 'countries', fix_errors: 'LOSSY' },
    })
  })
})

describe('the position of a resource', () => {
  it('is that of the nearest existing part', async () => {
    const { manifest } = await load('good/everything.yaml')
    const map = manifest?.resources.get('map')
    const at = (pointer: string) => [map?.spanOf(pointer).line, map?.spanOf(pointer).column]
    expect(at('')).toEqual([99, 11])
    expect(at('/parent')).toEqual([99, 11])
    expect(at('/display_name')).toEqual([101, 27])
    expect(at('/webmap/root_item')).toEqual([107, 15])
    expect(at('/webmap/root_item/children/1/layer_style_id/id')).toEqual([124, 80])
    expect(at('/webmap/extent_top')).toEqual([102, 13])
  })
})
