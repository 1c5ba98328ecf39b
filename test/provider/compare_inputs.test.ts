import { expect, test } from 'vitest'
import {
  signatureKey,
  signatures,
  unknownValue,
  unwrapProperties,
} from '../../src/provider/property_values.ts'
import { LandformProvider } from '../../src/provider/provider.ts'

const provider = new LandformProvider({ version: '1.0.0', env: {}, folder: '/' })
const urnOf = (type: string, name: string) => `urn:pulumi:dev::city::landform:index:${type}::${name}`
const layer = urnOf('VectorLayer', 'trees')
const secret = (value: unknown) => ({ [signatureKey]: signatures.secret, value })

const trees = {
  key: 'trees',
  display_name: 'Trees',
  parent: 'town',
  vector_layer: { geometry_type: 'POINT', srs: { id: 3857 } },
  feature_layer: { fields: [field('name'), field('species')] },
}

function field(keyname: string) {
  return { keyname, datatype: 'STRING', display_name: keyname }
}

function compare(urn: string, olds: object, news: object, ignored: readonly string[] = []) {
  const sides = { olds: unwrapProperties(olds as never), news: unwrapProperties(news as never), ignored }
  return provider
    .diff(urn, sides)
    .map(({ path, kind, replaces }) => `${kind}${replaces ? ' replace' : ''} ${path}`)
}

test('known changes beside unknown values are reported by their own path', () => {
  const news = {
    ...trees,
    description: unknownValue,
    feature_layer: { fields: [field('name'), { ...field('species'), display_name: 'Species' }] },
  }
  expect(compare(layer, trees, news)).toEqual([
    'update feature_layer.fields[1].display_name',
    'add description',
  ])
})

test('an unknown parent replaces the resource, so that it is deleted before its parent', () => {
  expect(compare(layer, trees, { ...trees, parent: unknownValue })).toEqual(['update replace parent'])
})

test('an unknown value that cannot change in place replaces the resource', () => {
  const news = { ...trees, vector_layer: { geometry_type: unknownValue, srs: { id: 3857 } } }
  expect(compare(layer, trees, news)).toEqual(['update replace vector_layer.geometry_type'])
})

test('the digest of data is compared, and the path is not', () => {
  const data = { source: 'a.csv', digest: '1' }
  expect(compare(layer, { ...trees, data }, { ...trees, data: { ...data, source: 'b.csv' } })).toEqual([])
  expect(compare(layer, { ...trees, data }, { ...trees, data: { ...data, digest: '2' } })).toEqual([
    'update data',
  ])
  expect(compare(layer, { ...trees, data }, { ...trees, data: { ...data, mode: 'seed' } })).toEqual([
    'update data',
  ])
})

test('inputs of another version that are not valid any more are compared as they are', () => {
  const olds = { ...trees, colour: 'red' }
  expect(compare(layer, olds, trees)).toEqual(['delete colour'])
})

test('changed secrets are reported by their path', () => {
  const connection = (password: unknown) => ({
    key: 'db',
    display_name: 'db',
    geodb_connection: { hostname: 'h', database: 'd', username: 'u', password },
  })
  const urn = urnOf('GeodbConnection', 'db')
  expect(compare(urn, connection(secret('a')), connection(secret('a')))).toEqual([])
  expect(compare(urn, connection(secret('a')), connection(secret('b')))).toEqual([
    'update geodb_connection.password',
  ])
})

test('ignored paths are left out, with wildcards', () => {
  const news = { ...trees, display_name: 'T', feature_layer: { fields: [field('name'), field('kind')] } }
  expect(compare(layer, trees, news, ['display_name', 'feature_layer.fields'])).toEqual([])
  expect(compare(layer, trees, { ...trees, resmeta: { a: 1 } }, ['resmeta.*'])).toEqual([])
})

test('rules of permissions are added to, changed in and removed from their list', () => {
  const rule = { action: 'allow', principal: 'guest', scope: 'resource', permission: 'read' }
  const more = { ...rule, principal: 'authenticated' }
  expect(compare(layer, { ...trees, permissions: [rule] }, { ...trees, permissions: [rule, more] })).toEqual([
    'update permissions',
  ])
  expect(compare(layer, { ...trees, permissions: [rule, more] }, { ...trees, permissions: [more] })).toEqual([
    'update permissions',
  ])
  expect(compare(layer, trees, { ...trees, permissions: [rule] })).toEqual(['add permissions'])
  expect(compare(layer, { ...trees, permissions: [rule] }, trees)).toEqual(['delete permissions'])
})
