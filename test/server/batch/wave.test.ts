import { expect, test } from 'vitest'
import { type CreateOperation, findWaves } from '../../../src/server/batch/wave.ts'
import { readCreation } from '../../../src/server/resource/create_resource.ts'

const create = (id: number, cls: string, parent: number, more: object = {}): CreateOperation => ({
  index: id,
  name: undefined,
  op: 'create',
  id,
  creation: readCreation({
    body: { resource: { cls, parent: { id: parent }, display_name: `${id}` }, ...more },
  }),
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
const idsOf = (operations: readonly CreateOperation[]) =>
  findWaves(operations).map((wave) => wave.map(({ id }) => id))

test('what one needs stands in an earlier wave, and what needs nothing of the others in the first', () => {
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

test('a map may need more styles than a call takes arguments', () => {
  const many = Array.from({ length: 200_000 }, () => 13)
  expect(idsOf([create(13, 'mapsrv_style', 1), create(14, 'webmap', 0, map(many))])).toEqual([[13], [14]])
})
