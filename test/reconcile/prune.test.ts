import { describe, expect, it } from 'vitest'
import { type Case, codesOf, planningOf, planOf, tell } from './support/literals.ts'

const prune = { prune: true, fuse: 1 }

describe('pruning', () => {
  it('only tells what is left over unless it is asked for', () => {
    const plan = planOf({ blocks: {}, rows: [{ id: 1, key: 'a' }] })
    expect(tell(plan)).toEqual([])
    expect(codesOf(plan)).toEqual(['(plan/orphan)'])
  })

  it('deletes what this manifest made and nothing else', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', manager: null },
      { id: 3, key: 'c', manager: 'other' },
      { id: 4, key: 'd', manager: null, meta: { 'landform.manager': 'test/1' } },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune })
    expect(tell(plan)).toEqual(['delete a'])
  })

  it('deletes a subtree by its top, and says what goes along', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', parent: 1 },
      { id: 3, key: 'c', parent: 2 },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune })
    expect(tell(plan)).toEqual(['delete a'])
    expect(plan.changes[0]?.takes).toEqual({ resources: 2, strangers: [], features: 0 })
  })

  it('lets what is wanted elsewhere leave first, with all below it', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'b', parent: 1 },
      { id: 3, key: 'c', parent: 2 },
    ]
    const plan = planOf({ blocks: { b: {} }, rows, options: prune })
    expect(tell(plan)).toEqual(['move b /parent', 'delete a', 'delete c'])
    expect(plan.changes[1]?.takes?.resources).toBe(0)
  })

  it('refuses to take along what others made, unless the deletion is allowed by name', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'theirs', parent: 1, manager: null },
    ]
    const one: Case = { blocks: {}, rows, options: prune }
    expect(codesOf(planOf(one))).toEqual(['plan/taken-along'])
    expect(planOf(one).issues[0]?.message).toContain('theirs')
    expect(codesOf(planOf({ ...one, options: { ...prune, allowDelete: new Set(['a']) } }))).toEqual([])
  })

  it('never takes along what the manifest itself names as existing', () => {
    const rows = [
      { id: 1, key: 'a' },
      { id: 2, key: 'x', parent: 1, manager: null },
    ]
    const options = { ...prune, allowDelete: new Set(['a']) }
    expect(codesOf(planOf({ blocks: { x: { existing: true } }, rows, options }))).toEqual([
      'plan/taken-along',
    ])
  })

  it('stops at the fuse: more than a tenth of what is managed', () => {
    const keys = Array.from({ length: 20 }, (_, at) => `r${at}`)
    const rows = keys.map((key, at) => ({ id: at + 1, key }))
    const without = (count: number) => Object.fromEntries(keys.slice(count).map((key) => [key, {}]))
    const plan = (count: number, more = {}) =>
      planOf({ blocks: without(count), rows, options: { prune: true, ...more } })
    expect(codesOf(plan(2))).toEqual([])
    expect(codesOf(plan(3))).toEqual(['plan/fuse'])
    expect(plan(3).issues[0]?.message).toBe(
      '3 of the 20 resources of this manifest would be deleted, more than 10 %',
    )
    expect(codesOf(plan(3, { allowDelete: new Set(['r0']) }))).toEqual([])
    expect(codesOf(plan(20))).toEqual(['plan/fuse'])
    expect(codesOf(plan(20, { fuse: 1 }))).toEqual([])
  })

  it('stops at layers with features, counted or not', () => {
    const rows = [{ id: 1, key: 'a', cls: 'vector_layer' as const }]
    const one: Case = { blocks: {}, rows, options: prune }
    expect(planningOf(one).uncounted).toEqual([1])
    const counted = (count: number | null) => planOf({ ...one, counts: new Map([[1, count]]) })
    expect(codesOf(counted(0))).toEqual([])
    expect(codesOf(counted(199_568))).toEqual(['plan/fuse'])
    expect(counted(199_568).issues[0]?.message).toContain('199568 features')
    expect(codesOf(counted(null))).toEqual(['plan/fuse'])
  })

  it('keeps what is protected, whatever is allowed', () => {
    const rows = [{ id: 1, key: 'a', meta: { 'landform.protect': true } }]
    const options = { ...prune, allowDelete: new Set(['a']) }
    expect(codesOf(planOf({ blocks: {}, rows, options }))).toEqual(['plan/protected'])
  })

  it('refuses when the reading is incomplete and the caller no administrator', () => {
    const one: Case = { blocks: {}, rows: [{ id: 1, key: 'a' }], options: prune }
    const half = { complete: false, administrator: false }
    expect(codesOf(planOf({ ...one, head: half }))).toEqual(['plan/incomplete'])
    expect(tell(planOf({ ...one, head: half }))).toEqual([])
    expect(codesOf(planOf({ ...one, head: { ...half, administrator: true } }))).toEqual([])
  })

  it('deletes what refers to a resource before it', () => {
    const rows = [
      { id: 1, key: 'table', cls: 'lookup_table' as const },
      {
        id: 2,
        key: 'layer',
        cls: 'vector_layer' as const,
        members: { feature_layer: { fields: [{ id: 5, keyname: 'x', lookup_table: { id: 1 } }] } },
      },
    ]
    const plan = planOf({ blocks: {}, rows, options: prune, counts: new Map([[2, 0]]) })
    expect(plan.steps.find(({ id }) => id === 'delete:table')?.after).toEqual(['delete:layer'])
  })
})
