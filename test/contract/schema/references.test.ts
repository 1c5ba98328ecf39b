import { describe, expect, it } from 'vitest'
import { membersOf } from '../../../src/contract/bodies/bodies.ts'
import { findReferences, hasReference, mapReferences } from '../../../src/contract/schema/references.ts'

const webmap = membersOf('webmap').webmap as object
const layer = (style: unknown) => ({ item_type: 'layer', display_name: 'L', layer_style_id: style })

describe('findReferences', () => {
  it('finds styles at every depth of a web map', () => {
    const value = {
      bookmark_resource: 'spots',
      root_item: {
        item_type: 'root',
        children: [layer('a'), { item_type: 'group', display_name: 'G', children: [layer('b')] }],
      },
    }
    expect(findReferences(webmap, value).map(({ pointer, value }) => [pointer, value])).toEqual([
      ['/bookmark_resource', 'spots'],
      ['/root_item/children/0/layer_style_id', 'a'],
      ['/root_item/children/1/children/0/layer_style_id', 'b'],
    ])
  })

  it('finds principals of rules and of the owner', () => {
    const resource = membersOf('webmap').resource as object
    const value = { owner_user: { id: 4 }, permissions: [{ action: 'allow', principal: { id: 1 } }] }
    expect(findReferences(resource, value)).toEqual([
      { target: 'principal', pointer: '/owner_user', value: { id: 4 } },
      { target: 'principal', pointer: '/permissions/0/principal', value: { id: 1 } },
    ])
  })

  it('returns the allowed classes and the effect of a deletion', () => {
    const [found] = findReferences(membersOf('geodb_layer').geodb_layer as object, { connection: { id: 3 } })
    expect(found?.target).toEqual({ classes: ['geodb_connection'], form: 'object', onDelete: 'refuse' })
  })

  it('skips null and invalid values', () => {
    expect(findReferences(webmap, { bookmark_resource: null, root_item: { children: 'none' } })).toEqual([])
  })
})

describe('hasReference', () => {
  it('tests the references at every depth', () => {
    const value = { root_item: { item_type: 'root', children: [layer('a'), layer({ id: 7 })] } }
    const has = (style: unknown) => hasReference(webmap, value, (found) => found.value === style)
    expect([
      has('a'),
      has('L'),
      hasReference(webmap, value, ({ value: one }) => typeof one === 'object'),
    ]).toEqual([true, false, true])
  })
})

describe('mapReferences', () => {
  it('copies everything except the references', () => {
    const value = { extent_left: -10, root_item: { item_type: 'root', children: [layer('a')], odd: [1] } }
    const mapped = mapReferences(webmap, value, ({ value }) => `key:${value}`)
    expect(mapped).toEqual({
      extent_left: -10,
      root_item: { item_type: 'root', children: [layer('key:a')], odd: [1] },
    })
    expect(value.root_item.children).toEqual([layer('a')])
  })
})
