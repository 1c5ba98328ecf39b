import { describe, expect, it } from 'vitest'
import type { Plan } from '../../../src/reconcile/model/change.ts'
import { codesOf, planOf } from '../support/literals.ts'

describe('order', () => {
  it('creates parents and references first', () => {
    const plan = planOf({
      blocks: {
        g: {},
        l: { cls: 'vector_layer', parent: 'g' },
        s: { cls: 'mapsrv_style', parent: 'l' },
        m: { cls: 'webmap', members: mapOf('s') },
      },
      rows: [],
    })
    expect(stepsOf(plan)).toEqual({
      'write:g': [],
      'write:l': ['write:g'],
      'write:s': ['write:l'],
      'write:m': ['write:s'],
    })
  })

  it('moves a resource under its former child after the child has moved away', () => {
    const plan = planOf({
      blocks: { a: { parent: 'b' }, b: {} },
      rows: [
        { id: 1, key: 'a' },
        { id: 2, key: 'b', parent: 1 },
      ],
    })
    expect(stepsOf(plan)).toEqual({ 'write:a': ['write:b'], 'write:b': [] })
  })

  it('waits for a display name until another resource releases it', () => {
    const plan = planOf({
      blocks: { a: { displayName: 'New' }, b: { displayName: 'Old' } },
      rows: [
        { id: 1, key: 'a', name: 'Old' },
        { id: 2, key: 'b', name: 'Other' },
      ],
    })
    expect(stepsOf(plan)).toEqual({ 'write:a': [], 'write:b': ['write:a'] })
  })

  it('swaps two names through a temporary name', () => {
    const plan = planOf({
      blocks: { a: { displayName: 'B' }, b: { displayName: 'A' } },
      rows: [
        { id: 1, key: 'a', name: 'A' },
        { id: 2, key: 'b', name: 'B' },
      ],
    })
    expect(stepsOf(plan)).toEqual({
      'write:a': ['write:b', 'rename:a'],
      'write:b': ['rename:a'],
      'rename:a': [],
    })
  })

  it('renames through a temporary name if the name belongs to a deleted resource, because deletions come last', () => {
    const plan = planOf({
      blocks: { b: { cls: 'webmap', displayName: 'A' } },
      rows: [{ id: 1, key: 'a', name: 'A' }],
      options: { prune: true, fuse: 1 },
    })
    expect(stepsOf(plan)).toEqual({ 'write:b': ['rename:a'], 'delete:a': ['rename:a'], 'rename:a': [] })
    expect(plan.steps.find(({ id }) => id === 'delete:a')?.phase).toBe('last')
  })

  it('deletes resources that refer to each other if neither reference prevents it', () => {
    const style = (id: number, parent: number) => ({
      id,
      parent,
      key: `s${id}`,
      cls: 'mapsrv_style' as const,
    })
    const layer = (id: number, parent: number) => ({
      id,
      parent,
      key: `l${id}`,
      cls: 'vector_layer' as const,
    })
    const map = (id: number, parent: number, layer_style_id: number) => {
      const children = [{ item_type: 'layer', display_name: 'L', layer_style_id }]
      const members = { webmap: { root_item: { item_type: 'root', children } } }
      return { id, parent, key: `m${id}`, cls: 'webmap' as const, members }
    }
    const plan = planOf({
      blocks: {},
      rows: [
        { id: 1, key: 'a' },
        { id: 2, key: 'b' },
        layer(3, 1),
        style(4, 3),
        map(5, 1, 7),
        layer(6, 2),
        style(7, 6),
        map(8, 2, 4),
      ],
      options: { prune: true, fuse: 1 },
    })
    expect(stepsOf(plan)).toEqual({ 'delete:a': [], 'delete:b': [] })
  })

  it('does not delay a deletion for resources that are moved away first', () => {
    const field = { keyname: 'x', datatype: 'STRING', lookup_table: { id: 3 } }
    const plan = planOf({
      blocks: { t: { cls: 'lookup_table' } },
      rows: [
        { id: 1, key: 'a' },
        { id: 2, key: 'l', cls: 'vector_layer', members: { feature_layer: { fields: [field] } } },
        { id: 3, key: 't', parent: 1, cls: 'lookup_table', members: { lookup_table: { items: {} } } },
      ],
      options: { prune: true, fuse: 1 },
    })
    expect(stepsOf(plan)).toEqual({ 'write:t': [], 'delete:a': [], 'delete:l': [] })
  })

  it('reports which resource has the display name if it is not released', () => {
    const plan = planOf({
      blocks: { b: { displayName: 'A' } },
      rows: [{ id: 1, key: 'theirs', name: 'A', cls: 'webmap', manager: null }],
    })
    expect(codesOf(plan)).toEqual(['resource/name-taken'])
    expect(plan.issues[0]?.message).toBe(
      'the display name "A" is in use by theirs (webmap) under the same parent',
    )
  })
})

describe('the fingerprint', () => {
  const fingerprint = (version: number) =>
    planOf({ blocks: { a: { displayName: 'A' } }, rows: [{ id: 1, key: 'a', version }] }).fingerprint

  it('is the same for the same plan, and differs if a resource has changed in the meantime', () => {
    expect(fingerprint(1)).toBe(fingerprint(1))
    expect(fingerprint(2)).not.toBe(fingerprint(1))
  })
})

function stepsOf(plan: Plan): Record<string, readonly string[]> {
  return Object.fromEntries(plan.steps.map(({ id, after }) => [id, after]))
}

function mapOf(style: string) {
  const children = [{ item_type: 'layer', display_name: 'L', layer_style_id: style }]
  return { webmap: { root_item: { item_type: 'root', children } } }
}
