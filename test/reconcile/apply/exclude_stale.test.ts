import { describe, expect, it } from 'vitest'
import { findExcluded } from '../../../src/reconcile/apply/apply_batch.ts'
import { type Case, planOf } from '../support/literals.ts'

/** Keys that are left out together with some, each with the key it is left out for. */
function left(one: Case, ...keys: string[]): Record<string, string> {
  const { changes, steps } = planOf(one)
  const faulty = changes.filter(({ key }) => keys.includes(key))
  expect(faulty.map(({ key }) => key)).toEqual(keys)
  return Object.fromEntries([...findExcluded(steps, faulty)].map(([{ key }, because]) => [key, because.key]))
}

describe('the changes skipped together with a stale change', () => {
  it('are all that depend on it, and no others', () => {
    const blocks = { a: { displayName: 'A2' }, b: { displayName: 'A1' }, c: { displayName: 'C2' } }
    const rows = [
      { id: 1, key: 'a', name: 'A1' },
      { id: 2, key: 'b', name: 'B1' },
      { id: 3, key: 'c', name: 'C1' },
    ]
    expect(left({ blocks, rows }, 'a')).toEqual({ a: 'a', b: 'a' })
    expect(left({ blocks, rows }, 'b')).toEqual({ b: 'b' })
  })

  it('include all whose name would remain temporary', () => {
    const blocks = { a: { displayName: 'B' }, b: { displayName: 'A' } }
    const rows = [
      { id: 1, key: 'a', name: 'A' },
      { id: 2, key: 'b', name: 'B' },
    ]
    expect(left({ blocks, rows }, 'b')).toEqual({ a: 'b', b: 'b' })
  })

  it('include every deletion, but no changes that a deletion depends on', () => {
    const one = {
      blocks: { a: { displayName: 'New' } },
      rows: [
        { id: 1, key: 'a', name: 'Old' },
        { id: 2, key: 'gone' },
        { id: 3, key: 'going' },
      ],
      options: { prune: true, fuse: 1 },
    }
    expect(left(one, 'a')).toEqual({ a: 'a', gone: 'a', going: 'a' })
    expect(left(one, 'gone')).toEqual({ gone: 'gone' })
  })

  it('include a change that takes the name of a resource that stays', () => {
    const one = {
      blocks: { b: { cls: 'webmap' as const, displayName: 'A' } },
      rows: [{ id: 1, key: 'a', name: 'A' }],
      options: { prune: true, fuse: 1 },
    }
    expect(left(one, 'a')).toEqual({ a: 'a', b: 'a' })
  })

  it('include a replacement as a whole, so that nothing is deleted without being recreated', () => {
    const layer = (srs: number) => ({ vector_layer: { srs: { id: srs }, geometry_type: 'POINT' } })
    const one = {
      blocks: {
        v: { cls: 'vector_layer' as const, members: layer(4326) },
        s: { cls: 'mapsrv_style' as const, parent: 'v' },
      },
      rows: [
        { id: 1, key: 'v', cls: 'vector_layer' as const, members: layer(3857) },
        { id: 2, key: 's', cls: 'mapsrv_style' as const, parent: 1, members: { mapsrv_style: {} } },
      ],
      counts: new Map([[1, 0]]),
      options: { replace: new Set(['v']) },
    }
    expect(left(one, 's')).toEqual({ v: 's', s: 's' })
    expect(left(one, 'v')).toEqual({ v: 'v', s: 'v' })
  })
})
