import { expect, test } from 'vitest'
import { maxWaves } from '../../../src/contract/routes/batch.ts'
import type { Operation } from '../../../src/server/batch/batch_operation.ts'
import { planWaves } from '../../../src/server/batch/wave.ts'
import { readCreation } from '../../../src/server/resource/create_resource.ts'
import { readUpdate } from '../../../src/server/resource/update_resource.ts'
import type { TreeFacts } from '../../../src/store/resource/resource_tree.ts'

const create = (id: number, cls: string, parent: number, more: object = {}): Operation => ({
  index: id,
  name: undefined,
  op: 'create',
  id,
  restores: false,
  creation: readCreation({
    body: { resource: { cls, parent: { id: parent }, display_name: `${id}` }, ...more },
  }),
})

const update = (id: number, resource: object): Operation => ({
  index: id,
  name: undefined,
  op: 'update',
  change: readUpdate({ id, cls: 'resource_group' }, { resource }),
  ifMatch: undefined,
})

const remove = (id: number): Operation => ({
  index: id,
  name: undefined,
  op: 'delete',
  id,
  ifMatch: undefined,
})

const layer = { vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT' } }
const map = (styles: readonly number[]) => ({
  webmap: {
    root_item: {
      item_type: 'root',
      children: styles.map((id) => ({ item_type: 'layer', display_name: 'L', layer_style_id: id })),
    },
  },
})
/** Groups 1 and 2 below the root, and 10, 11 below 1, 20 below 2; each is named by its id. */
const parents = { 0: null, 1: 0, 2: 0, 10: 1, 11: 1, 20: 2 } as const
const nodes = Object.entries(parents).map(
  ([id, parentId]): TreeFacts => ({
    id: Number(id),
    parentId,
    connectionId: null,
    displayName: id,
    keyname: null,
  }),
)
const idsOf = (operations: readonly Operation[], removals = new Map()) =>
  planWaves(operations, { nodes, removals }).map((wave) => wave.operations.map(({ index }) => index))

test('dependencies are in earlier waves, and operations without any are in the first', () => {
  const operations = [
    create(11, 'resource_group', 0),
    create(12, 'vector_layer', 11, layer),
    create(13, 'mapsrv_style', 12),
    create(14, 'webmap', 11, map([13])),
    create(15, 'resource_group', 0),
    create(16, 'vector_layer', 15, layer),
  ]
  expect(idsOf(operations)).toEqual([[11, 15], [12, 16], [13], [14]])
})

test('a map may need more styles than a call accepts arguments', () => {
  const many = Array.from({ length: 200_000 }, () => 13)
  expect(idsOf([create(13, 'mapsrv_style', 1), create(14, 'webmap', 0, map(many))])).toEqual([[13], [14]])
})

test('independent changes are one wave, whatever is between them', () => {
  const operations = [
    update(10, { description: 'x' }),
    create(30, 'resource_group', 2),
    update(11, { display_name: 'renamed' }),
    update(20, { description: 'y' }),
  ]
  expect(idsOf(operations)).toEqual([[30], [10, 11, 20]])
})

test.for([
  ['two changes of one resource', [update(10, { description: 'x' }), update(10, { description: 'y' })]],
  ['a name that is freed before', [update(10, { display_name: 'new' }), update(11, { display_name: '10' })]],
  [
    'a name that is freed for a new one',
    [update(10, { display_name: 'x' }), create(10, 'resource_group', 1)],
  ],
  ['a keyname that is taken', [update(10, { keyname: 'k' }), update(20, { keyname: 'k' })]],
  ['rules above', [update(1, { permissions: [] }), update(10, { description: 'x' })]],
  ['a move of what is above', [update(1, { parent: { id: 2 } }), update(10, { description: 'x' })]],
  ['a move into what is moved', [update(1, { parent: { id: 2 } }), update(20, { parent: { id: 10 } })]],
  ['a move out of what is deleted', [update(10, { parent: { id: 2 } }), remove(1)]],
  ['a deletion below', [remove(10), remove(1)]],
  ['a deletion of the parent', [create(30, 'resource_group', 10), remove(10)]],
] as const)('%s is a wave of its own', ([, [first, second]]) => {
  expect(idsOf([first, second])).toEqual([[first.index], [second.index]])
})

test('moves follow the tree as earlier moves leave it', () => {
  const operations = [
    update(1, { parent: { id: 2 } }),
    update(2, { permissions: [] }),
    update(10, { description: 'x' }),
  ]
  expect(idsOf(operations)).toEqual([[1], [2], [10]])
})

test('a referenced resource is deleted after the change of its referrer', () => {
  const removals = new Map([[2, { ids: [2, 20], keynames: [], referrerIds: [10] }]])
  expect(idsOf([update(10, { description: 'x' }), remove(2)], removals)).toEqual([[10], [2]])
})

test('a resource is deleted after the group of its referrer, which others move out of first', () => {
  const removals = new Map([
    [1, { ids: [1, 10, 100], keynames: [], referrerIds: [] }],
    [20, { ids: [20], keynames: [], referrerIds: [100] }],
  ])
  const operations = [update(11, { parent: { id: 2 } }), remove(1), remove(20)]
  expect(idsOf(operations, removals)).toEqual([[11], [1], [20]])
})

test('operations that need too many waves are refused, and the operation is named', () => {
  const operations = Array.from({ length: maxWaves + 1 }, (_, at) => ({
    ...update(10, { description: `${at}` }),
    index: at,
  }))
  expect(() => idsOf(operations)).toThrow(
    expect.objectContaining({
      code: 'request/invalid',
      data: expect.objectContaining({ operation: maxWaves }),
    }),
  )
})
