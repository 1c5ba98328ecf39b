import { describe, expect, it } from 'vitest'
import type { Plan } from '../../src/reconcile/change.ts'
import { codesOf, planOf } from './support/literals.ts'

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

  it('moves what comes to stand under a former child after it has left', () => {
    const plan = planOf({
      blocks: { a: { parent: 'b' }, b: {} },
      rows: [
        { id: 1, key: 'a' },
        { id: 2, key: 'b', parent: 1 },
      ],
    })
    expect(stepsOf(plan)).toEqual({ 'write:a': ['write:b'], 'write:b': [] })
  })

  it('waits for a display name that another resource gives up', () => {
    const plan = planOf({
      blocks: { a: { displayName: 'New' }, b: { displayName: 'Old' } },
      rows: [
        { id: 1, key: 'a', name: 'Old' },
        { id: 2, key: 'b', name: 'Other' },
      ],
    })
    expect(stepsOf(plan)).toEqual({ 'write:a': [], 'write:b': ['write:a'] })
  })

  it('swaps two names through a temporary one', () => {
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

  it('takes the name of what is deleted through a temporary one, for deletions come last', () => {
    const plan = planOf({
      blocks: { b: { cls: 'webmap', displayName: 'A' } },
      rows: [{ id: 1, key: 'a', name: 'A' }],
      options: { prune: true, fuse: 1 },
    })
    expect(stepsOf(plan)).toEqual({ 'write:b': ['rename:a'], 'delete:a': ['rename:a'], 'rename:a': [] })
    expect(plan.steps.find(({ id }) => id === 'delete:a')?.phase).toBe('last')
  })

  it('says whose display name is taken when nobody gives it up', () => {
    const plan = planOf({
      blocks: { b: { displayName: 'A' } },
      rows: [{ id: 1, key: 'theirs', name: 'A', cls: 'webmap', manager: null }],
    })
    expect(codesOf(plan)).toEqual(['resource/name-taken'])
    expect(plan.issues[0]?.message).toBe('"A" is the display name of theirs (webmap) in the same place')
  })
})

describe('the fingerprint', () => {
  const fingerprint = (version: number) =>
    planOf({ blocks: { a: { displayName: 'A' } }, rows: [{ id: 1, key: 'a', version }] }).fingerprint

  it('is the same for the same plan, and another when a resource has changed meanwhile', () => {
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
