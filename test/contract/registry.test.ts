import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { bodySchema, membersOf } from '../../src/contract/bodies/bodies.ts'
import { featureLayerClasses, publishableClasses } from '../../src/contract/classes/style.ts'
import { annotationsOf, type Reference } from '../../src/contract/descriptor.ts'
import { layerReferenceSystems } from '../../src/contract/geometry.ts'
import { findPermission, permissionNames, scopes } from '../../src/contract/permissions.ts'
import { findProblemKind } from '../../src/contract/problems.ts'
import {
  type Cls,
  clsNames,
  dataClsNames,
  dataOf,
  descriptorOf,
  hasFeatures,
  isCls,
} from '../../src/contract/registry.ts'
import { type RouteName, routeNames, routeOf, routeTemplates } from '../../src/contract/routes.ts'
import type { Schema } from '../../src/contract/schema/schema.ts'
import { createValidatorCompiler } from '../../src/contract/schema/validate.ts'

const compile = createValidatorCompiler({ faults: 'all' })
// The compiler of validators takes schemas as they are; what JSON Schema says of them is held here.
const meta = new Ajv({ strict: false, logger: false })

describe('class descriptors', () => {
  it.each(clsNames)('%s names parents, references and permissions that exist', (cls) => {
    for (const parent of descriptorOf(cls).parents) expect(isCls(parent), parent).toBe(true)
    for (const schema of schemasIn(membersOf(cls))) checkAnnotations(schema)
  })

  it.each(clsNames)('%s has bodies that compile in strict mode', (cls) => {
    expect(compile(bodySchema(cls, 'create'))({}).map((fault) => fault.message)).toContain(
      'missing field "resource"',
    )
    expect(compile(bodySchema(cls, 'update'))({})).toEqual([])
  })

  it.each(clsNames)('%s has bodies that are JSON Schema', (cls) => {
    for (const use of ['create', 'update'] as const)
      expect(meta.validateSchema(bodySchema(cls, use))).toBe(true)
    expect(meta.validateSchema({ ...bodySchema(cls, 'create'), required: [1] })).toBe(false)
  })

  it.each(clsNames)('%s describes every field', (cls) => {
    for (const [member, { properties }] of Object.entries(membersOf(cls)))
      for (const [name, schema] of Object.entries(properties))
        expect((schema as { description?: string }).description, `${member}.${name}`).toMatch(/\.$/)
  })

  it.each(dataClsNames)('%s has the fields of its source data', (cls) => {
    const fields = descriptorOf(cls).members[cls]?.properties ?? {}
    const { options, structure = [], srs } = dataOf(cls) ?? {}
    expect(fields).toMatchObject({
      source: { writeOnly: true },
      data_version: { readOnly: true },
      ...options,
    })
    expect(Object.keys(fields)).toEqual(expect.arrayContaining([...structure, 'srs']))
    expect(layerReferenceSystems).toContain(srs)
  })

  it.each(clsNames)('%s links to operations on a resource that have a permission of the class', (cls) => {
    const { links = [], scopes: own, members } = descriptorOf(cls)
    for (const { route, each, text } of links) {
      expect(routeNames).toContain(route)
      const { method, path, permission = '' } = routeOf(route as RouteName)
      expect([method, own]).toEqual(['GET', expect.arrayContaining([permission.split('.')[0]])])
      const list = members[cls]?.properties[each ?? ''] as Schema | undefined
      const names = [...`${path} ${text}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(['id', ...Object.keys(list?.items?.properties ?? {})]).toEqual(expect.arrayContaining(names))
    }
  })

  it('has the lists of styles and layers that the classes define', () => {
    const having = (word: string) => clsNames.filter((cls) => descriptorOf(cls).interfaces.includes(word))
    expect(having('IFeatureLayer').sort()).toEqual([...featureLayerClasses].sort())
    expect(clsNames.filter(hasFeatures).sort()).toEqual([...featureLayerClasses].sort())
    expect(having('IRenderableStyle').sort()).toEqual([...publishableClasses].sort())
  })

  it('has the scopes of the API document', () => {
    expect(descriptorOf('webmap').scopes).toEqual(['resource', 'webmap', 'metadata'])
    expect(Object.keys(scopes)).toEqual([
      'resource',
      'service',
      'datastruct',
      'connection',
      'webmap',
      'data',
      'metadata',
    ])
  })
})

describe('permissions', () => {
  it.each(permissionNames)('%s requires a permission that exists', (name) => {
    const requires = findPermission(name)?.requires
    expect(requires && findPermission(requires.permission), name).toBeTruthy()
  })
})

describe('routes', () => {
  it.each(routeNames)('%s is described by JSON Schema', (name) => {
    const { params, query, body, response } = routeOf(name)
    for (const schema of [params, query, body, response])
      if (schema !== undefined) expect(meta.validateSchema(schema)).toBe(true)
  })

  it.each(routeNames)('%s declares every placeholder of its path', (name) => {
    const { path, params, permission } = routeOf(name)
    const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, placeholder]) => placeholder)
    expect(Object.keys(params?.properties ?? {}).sort()).toEqual(placeholders.sort())
    if (permission !== undefined) expect(findPermission(permission), permission).toBeDefined()
  })

  it('names placeholders by position in the route answer', () => {
    expect(routeTemplates()['feature_layer.feature.item']).toEqual([
      '/api/resource/{0}/feature/{1}',
      'id',
      'fid',
    ])
  })

  it('requires no permission of unauthenticated callers', () => {
    const anonymous = routeNames.filter((name) => routeOf(name).isAnonymous)
    expect(anonymous).toContain('instance.alive')
    for (const name of anonymous) {
      const { permission, forUsers, takesKey } = routeOf(name)
      expect([permission, forUsers, takesKey], name).toEqual([undefined, undefined, undefined])
    }
    const ofSessions = routeNames.filter((name) => routeOf(name).changesSession)
    expect(ofSessions).toEqual(['auth.login', 'auth.logout', 'page.login_submit', 'page.logout'])
  })

  it('has one operation per method and path', () => {
    const seen = routeNames.map((name) => `${routeOf(name).method} ${routeOf(name).path}`)
    expect(new Set(seen).size).toBe(seen.length)
  })
})

describe('problems', () => {
  it('ignores codes of other programs', () => {
    expect(findProblemKind('constructor')).toBeUndefined()
    expect(findProblemKind('resource/not-found')?.status).toBe(404)
  })
})

function* schemasIn(value: unknown): Generator<object> {
  if (value === null || typeof value !== 'object') return
  yield value
  for (const child of Object.values(value)) yield* schemasIn(child)
}

function checkAnnotations(schema: object): void {
  const words = annotationsOf(schema as never)
  for (const permission of [words['x-read'], words['x-write']])
    if (permission !== undefined) expect(findPermission(permission), permission).toBeDefined()
  for (const cls of (words['x-ref'] as Reference | undefined)?.classes ?? [])
    expect(cls === '*' || isCls(cls as Cls), cls).toBe(true)
}
