import { describe, expect, it } from 'vitest'
import { descriptorOf } from '../../../src/contract/registry.ts'
import type { Schema } from '../../../src/contract/schema/schema.ts'
import { narrowEdits } from '../../../src/reconcile/pull/narrow_edits.ts'

const { properties } = descriptorOf('webmap').members.webmap as Schema
const tree = properties?.root_item

function narrow(old: unknown, value: unknown) {
  return narrowEdits({ pointer: '/webmap/root_item', old, value, schema: tree })
}

const layer = (more: object) => ({ item_type: 'layer', display_name: 'L', layer_style_id: 's', ...more })
const rootOf = (...children: readonly object[]) => ({ item_type: 'root', children })

describe('narrowEdits', () => {
  it('edits the changed member of an item', () => {
    expect(narrow(rootOf(layer({})), rootOf(layer({ display_name: 'M' })))).toEqual([
      { pointer: '/webmap/root_item/children/0/display_name', value: 'M' },
    ])
  })

  it('adds members, removes those that are gone, and keeps written defaults', () => {
    const old = rootOf(layer({ layer_enabled: true, layer_transparency: 30 }))
    const edits = narrow(old, rootOf(layer({ draw_order_position: 2 })))
    expect(edits).toContainEqual({ pointer: '/webmap/root_item/children/0/draw_order_position', value: 2 })
    expect(edits).toContainEqual({ pointer: '/webmap/root_item/children/0/layer_transparency', remove: true })
    expect(edits.map(({ pointer }) => pointer)).not.toContain('/webmap/root_item/children/0/layer_enabled')
  })

  it('writes a list that gained items as a whole', () => {
    const next = rootOf(layer({}), layer({ display_name: 'N' }))
    expect(narrow(rootOf(layer({})), next)).toEqual([
      { pointer: '/webmap/root_item/children', value: next.children },
    ])
  })

  it('keeps what means the same, and lists of plain values as one', () => {
    expect(narrow(rootOf(layer({ layer_enabled: true })), rootOf(layer({})))).toEqual([])
    expect(narrowEdits({ pointer: '/a', old: [1, 2], value: [1, 3] })).toEqual([
      { pointer: '/a', value: [1, 3] },
    ])
    expect(narrowEdits({ pointer: '/a', old: 1, value: undefined })).toEqual([
      { pointer: '/a', remove: true },
    ])
  })
})
