import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { geoserviceTypes } from '../../src/contract/catalog/catalog.ts'
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
    const { resources, catalog } = loaded.manifest ?? {}
    expect((resources?.size ?? 0) + (catalog?.geoservice.size ?? 0)).toBeGreaterThan(0)
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

  it('reads the records of the catalog, with expressions, boundaries and images', async () => {
    const { manifest } = await load('good/catalog.yaml')
    const { icon, geoservice } = manifest?.catalog ?? {}
    expect(icon?.get('square')).toMatchObject({
      kind: 'icon',
      members: { name: 'Square' },
      image: { source: 'square.svg', path: `${fixtures}/good/square.svg` },
    })
    expect(icon?.get('old_square')).toMatchObject({
      was: 'oldest_square',
      members: { guid: '6f1d2c3b-4a59-4e68-8f70-112233445566' },
    })
    expect(geoservice?.get('streets')?.members).toEqual({
      type: 'tms',
      name: 'Streets',
      desc: 'Streets of Norway',
      url: 'https://{switch:a,b}.tiles.example.org/streets/{z}/{x}/{y}.png',
      epsg: 3857,
      z_min: 0,
      z_max: 19,
      y_origin_top: true,
      icon: 'square',
      boundary: 'POLYGON((5 58, 31 58, 31 71, 5 71, 5 58))',
    })
    const boundaryOf = (key: string) => geoservice?.get(key)?.members.boundary
    expect(boundaryOf('relief')).toMatch(/^MULTIPOLYGON\(\(\(170 -20,180 -20,.*-180 -20\)\)\)$/)
    expect(boundaryOf('parcels')).toBe('POLYGON((10 59,11 59,11 60,10 59))')
    expect(geoservice?.get('streets')?.spanOf('/boundary').line).toBe(20)
  })

  it('has no catalog without icons and geoservices', async () => {
    const { manifest } = await load('good/everything.yaml')
    expect(manifest).not.toHaveProperty('catalog')
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
      'world_wfs',
      'world_wms',
    ])
    expect(loaded.manifest?.resources.get('countries')?.data).toMatchObject({
      source: '../node_modules/world-atlas/countries-50m.json',
      options: { source_layer: 'countries', fix_errors: 'LOSSY' },
    })
  })
})

describe('the example catalog', () => {
  const root = fixtures.replace(/test\/fixtures$/, '')

  it('is one manifest with the example tree, without an issue', async () => {
    const loaded = await load('manifests', root)
    expect(printIssues(loaded)).toBe('')
    const { resources, catalog } = loaded.manifest ?? {}
    expect([resources?.size, catalog?.icon.size, catalog?.geoservice.size]).toEqual([9, 9, 35])
  })

  it('has services of every type, with every icon, on hosts for examples', async () => {
    const { manifest } = await load('manifests/catalog', root)
    const services = [...(manifest?.catalog?.geoservice.values() ?? [])].map(({ members }) => members)
    expect(new Set(services.map(({ type }) => type))).toEqual(new Set(geoserviceTypes))
    expect(new Set(services.map(({ icon }) => icon))).toEqual(new Set(manifest?.catalog?.icon.keys()))
    const hosts = services.map(({ url }) => /^https?:\/\/([^/]*)/.exec(String(url))?.[1] ?? '')
    expect(hosts.filter((host) => !/(^|\.)example\.org$|^127\.0\.0\.1:8080$/.test(host))).toEqual([])
  })

  it.each(['features', 'icons', 'landform', 'tiles', 'wms'])('%s.yaml fits the printed schema', (name) => {
    for (const value of documentsOf(`../../manifests/catalog/${name}.yaml`))
      expect(validate(value) || validate.errors).toBe(true)
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
