import { describe, expect, it } from 'vitest'
import { withoutDefaults } from '../../../src/contract/schema/compact.ts'

describe('withoutDefaults', () => {
  it('omits defaults and nulls of the wire format', () => {
    const field = { id: 3, keyname: 'a', datatype: 'STRING', display_name: 'A' }
    const implied = { label_field: false, grid_visibility: true, text_search: true, lookup_table: null }
    const layer = {
      resource: { id: 7, description: null },
      vector_layer: { srs: { id: 3857 }, geometry_type: 'POINT', data_version: 1 },
      feature_layer: {
        fields: [
          { ...field, ...implied, typemod: null },
          { ...field, ...implied, label_field: true, lookup_table: { id: 4 } },
        ],
      },
    }
    expect(withoutDefaults('vector_layer', layer)).toEqual({
      ...layer,
      feature_layer: { fields: [field, { ...field, label_field: true, lookup_table: { id: 4 } }] },
    })
  })

  it('applies to the layer tree of a web map, and keeps attributes with default values', () => {
    const layer = { item_type: 'layer', display_name: 'L', layer_style_id: 3, style_parent_id: 2 }
    const implied = { layer_adapter: 'tile', layer_enabled: true, layer_transparency: null, payload: null }
    const group = (child: object) => ({
      webmap: {
        draw_order_enabled: null,
        bookmark_resource: null,
        root_item: {
          item_type: 'root',
          children: [{ item_type: 'group', display_name: 'G', children: [child] }],
        },
      },
    })
    expect(withoutDefaults('webmap', group({ ...layer, ...implied }))).toEqual(group(layer))
    const changed = { ...layer, layer_enabled: null, layer_transparency: 0 }
    expect(withoutDefaults('webmap', group({ ...changed, layer_adapter: 'image' }))).toEqual(
      group({ ...changed, layer_adapter: 'image' }),
    )
  })

  it('keeps members that the class does not have', () => {
    const odd = { other: { a: null }, resource: { id: 1 } }
    expect(withoutDefaults('resource_group', odd)).toEqual(odd)
  })
})
