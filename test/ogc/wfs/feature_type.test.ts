import { expect, test } from 'vitest'
import {
  createFeatureTypes,
  findFeatureType,
  findIdOf,
  findProperty,
} from '../../../src/ogc/wfs/feature_type.ts'
import type { Layer } from '../../../src/store/layer/stored_layer.ts'

const layer: Layer = {
  resourceId: 1,
  geometryType: 'POINT',
  srs: 3857,
  tableName: 't',
  dataVersion: 1,
  extensionsVersion: 0,
  fields: ['name', 'a b', 'a-b'].map((keyname, id) => ({
    id,
    keyname,
    displayName: keyname,
    datatype: 'STRING',
    columnName: `fld_${id}`,
    labelField: false,
    gridVisibility: true,
    textSearch: true,
    lookupTableId: null,
  })),
}
const entry = { displayName: 'Roads', maxFeatures: null, layer, isWritable: true }
const types = createFeatureTypes(['1', '_1', 'a/b'].map((keyname) => ({ ...entry, keyname })))
const [, second] = types

test('gives distinct names, and keeps the ones that XML accepts', () => {
  expect(types.map(({ name }) => name)).toEqual(['_1_2', '_1', 'a_b'])
})

test.each(['a_b', 'svc:a_b', 'other:a_b', ' a_b ', 'schema-element(svc:a_b)'])(
  'finds the type %s',
  (name) => {
    expect(findFeatureType(types, name)).toBe(types[2])
  },
)

test.each([
  ['name', 'name'],
  ['svc:name', 'name'],
  ['/svc:_1/svc:a_b', 'a_b'],
  ['_1/a-b', 'a-b'],
  ['./name', 'name'],
])('finds the property %s', (path, name) => {
  expect(second && findProperty(second, path)).toMatchObject({ name })
})

test.each([
  ['svc:geom', 'geometry'],
  ['@gml:id', 'id'],
  ['svc:_1/@gml:id', 'id'],
])('%s is the %s', (path, target) => {
  expect(second && findProperty(second, path)).toBe(target)
})

test.each(['', '/', 'x', 'name/x', 'other/name', '*', 'name[1]'])('"%s" is not a property', (path) => {
  expect(() => second && findProperty(second, path)).toThrow('has no property')
})

test.each([
  ['_1.5', '5'],
  ['svc:_1.-5', '-5'],
  ['_1_2.5', undefined],
  ['_1.5x', undefined],
  ['_1', undefined],
  ['_1.99999999999999999999', undefined],
])('the id in %s is %s', (featureId, id) => {
  expect(second && findIdOf(second, featureId)).toBe(id)
})
