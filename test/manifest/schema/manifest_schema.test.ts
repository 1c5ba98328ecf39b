import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { clsNames } from '../../../src/contract/registry.ts'
import { manifestSchema } from '../../../src/manifest/schema/manifest_schema.ts'

const schema = manifestSchema()
const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true })
const validate = ajv.compile(schema)

const check = (resources: unknown) => validate({ manifest: 'm', resources })
const group = { cls: 'resource_group', display_name: 'G' }

/** All schemas within a schema. */
function* parts(value: unknown): Generator<Record<string, unknown>> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const part of Object.values(value)) yield* parts(part)
}

describe('the printed schema', () => {
  it('is a self-contained draft 7 schema', () => {
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#')
    expect(ajv.validateSchema(schema)).toBe(true)
    const definitions = Object.keys(schema.definitions as object)
    const references = [...parts(schema)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    for (const reference of references)
      expect(definitions.map((name) => `#/definitions/${name}`)).toContain(reference)
  })

  it('contains no custom keywords', () => {
    expect(JSON.stringify(schema)).not.toMatch(/"(x-|readOnly|writeOnly|discriminator|~)/)
  })

  it.each(clsNames)('describes class %s', (cls) => {
    const definition = (schema.definitions as Record<string, { title?: string; description?: string }>)[
      `cls_${cls}`
    ]
    expect(definition?.title).toBeTruthy()
    expect(definition?.description).toMatch(/\.$/)
    expect(check({ a: { cls, existing: true } })).toBe(true)
    expect(check({ a: { cls, display_name: 'A', surprise: 1 } })).toBe(false)
  })

  it.each([
    ['a field of another class', { a: { ...group, webmap: {} } }],
    ['a block without a class', { a: { display_name: 'A' } }],
    ['an unknown class', { a: { cls: 'grup', display_name: 'A' } }],
    ['a block of our own without a name', { a: { cls: 'resource_group' } }],
    ['a fault further down', { a: { ...group, children: { b: { cls: 'webmap' } } } }],
    ['a permission of another scope', { a: { ...group, permissions: [rule('data', 'create')] } }],
    ['an upload', { a: { existing: true, cls: 'vector_layer', vector_layer: { source: { id: 'x' } } } }],
    [
      'what the server sets',
      { a: { existing: true, cls: 'vector_layer', vector_layer: { data_version: 1 } } },
    ],
    [
      'a load option beside data',
      { a: { existing: true, cls: 'vector_layer', vector_layer: { skip_errors: true } } },
    ],
    [
      'a mode that data do not have',
      { a: { cls: 'vector_layer', display_name: 'A', data: { source: 'a.geojson', mode: 'merge' } } },
    ],
    [
      'features of a raster that may be lost',
      { a: { cls: 'raster_layer', display_name: 'A', data: { source: 'a.tif', allow_loss: true } } },
    ],
  ])('refuses %s', (_, resources) => {
    expect(check(resources)).toBe(false)
  })

  it.each([
    ['a resource of others that tells no class', { a: { existing: true, permissions: { include: [] } } }],
    [
      'a part of a member of a resource of others',
      { a: { existing: true, cls: 'geodb_connection', geodb_connection: { port: 5432 } } },
    ],
    ['all permissions of a scope', { a: { ...group, permissions: [rule('data', '')] } }],
    [
      'an expression for a number',
      { a: { existing: true, cls: 'webmap', webmap: { extent_left: '${env.LEFT}' } } },
    ],
    [
      'what becomes of data that were edited on the server, and that a load may lose some',
      {
        a: {
          cls: 'vector_layer',
          display_name: 'A',
          data: { source: 'a.geojson', mode: 'replace', allow_loss: true },
        },
      },
    ],
  ])('accepts %s', (_, resources) => {
    expect(check(resources) || validate.errors).toBe(true)
  })
})

describe('the printed schema of the catalog', () => {
  const checkFile = (file: object) => validate({ manifest: 'm', ...file })
  const service = { type: 'wms', name: 'A', url: 'https://example.org/wms' }

  it('requires a section', () => {
    expect(checkFile({})).toBe(false)
    expect(checkFile({ icons: { a: { name: 'A', image: 'a.svg' } } })).toBe(true)
    expect(checkFile({ geoservices: { a: service } })).toBe(true)
  })

  it.each([
    ['a member of another type', { ...service, z_min: 3 }],
    ['an unknown member', { ...service, surprise: 1 }],
    ['an unknown type', { ...service, type: 'wmts' }],
    ['a type that is an expression', { ...service, type: '${env.TYPE}' }],
    ['a record without a type', { name: 'A', url: 'https://example.org' }],
    ['a feature service without a layer', { ...service, type: 'wfs' }],
    ['an icon by its bare id', { ...service, icon: 7 }],
    ['an icon by half a guid', { ...service, icon: { guid: '0b6e4f7a' } }],
    [
      'an icon by its guid and its id',
      { ...service, icon: { id: 7, guid: '0b6e4f7a-58c4-4c55-9f0d-7b1c2d3e4f50' } },
    ],
    ['a box of three numbers', { ...service, boundary: [1, 2, 3] }],
    ['a point as boundary', { ...service, boundary: { type: 'Point', coordinates: [1, 2] } }],
    ['what the server sets', { ...service, cumulative_status: 'works' }],
  ])('refuses %s', (_, record) => {
    expect(checkFile({ geoservices: { a: record } })).toBe(false)
  })

  it.each([
    ['an expression for a number', { ...service, epsg: '${env.EPSG}' }],
    ['an icon outside the manifest', { ...service, icon: { id: 7 } }],
    ['its guid', { ...service, icon: { guid: '0b6e4f7a-58c4-4c55-9f0d-7b1c2d3e4f50' } }],
    ['a box', { ...service, boundary: [1, 2, 3, 4] }],
    ['null for a default', { ...service, boundary: null, icon: null, epsg: null, format: null }],
  ])('accepts %s', (_, record) => {
    expect(checkFile({ geoservices: { a: record } }) || validate.errors).toBe(true)
  })

  it('refuses keys that the catalog does not store', () => {
    expect(checkFile({ geoservices: { 'a/b': service } })).toBe(false)
  })
})

function rule(scope: string, permission: string) {
  return { action: 'allow', principal: 'guest', scope, permission, propagate: true }
}
