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

  it('keeps the items of a list that moved, and edits them where they were', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => layer({ layer_style_id: name }))
    const moved = { ...a, display_name: 'M' }
    const next = rootOf(c as object, moved, layer({ layer_style_id: 'd', display_name: 'D' }))
    expect(narrow(rootOf(a as object, b as object, c as object), next)).toEqual([
      { pointer: '/webmap/root_item/children/0/display_name', value: 'M' },
      { pointer: '/webmap/root_item/children', value: next.children, kept: [2, 0, undefined] },
    ])
  })

  it('finds fields by their keyname, and keeps what only manifests have', () => {
    const fields = (descriptorOf('vector_layer').members.feature_layer as Schema).properties?.fields
    const [use, note] = [
      { keyname: 'use', was: 'usage', datatype: 'STRING' },
      { keyname: 'note', datatype: 'STRING' },
    ]
    const value = [note, { keyname: 'use', datatype: 'STRING', display_name: 'Use' }]
    expect(narrowEdits({ pointer: '/f', old: [use], value, schema: fields })).toEqual([
      { pointer: '/f/0/display_name', value: 'Use' },
      { pointer: '/f', value, kept: [undefined, 0] },
    ])
  })

  it('keeps the order of lists whose order has no meaning', () => {
    const lineOf = (item: unknown) => String(item).replace('group:', '')
    const pair = { pointer: '/p', old: ['group:b', 'c', 'a'], value: ['a', 'b', 'd'], lineOf }
    expect(narrowEdits(pair)).toEqual([
      { pointer: '/p', value: ['group:b', 'a', 'd'], kept: [0, 2, undefined] },
    ])
  })

  it('keeps what means the same, and lists of plain values as one', () => {
    expect(narrow(rootOf(layer({ layer_enabled: true })), rootOf(layer({})))).toEqual([])
    expect(narrowEdits({ pointer: '/a', old: [1, 2], value: [1, 3] })).toEqual([
      { pointer: '/a', value: [1, 3], kept: [0, undefined] },
    ])
    expect(narrowEdits({ pointer: '/a', old: 1, value: undefined })).toEqual([
      { pointer: '/a', remove: true },
    ])
  })
})
