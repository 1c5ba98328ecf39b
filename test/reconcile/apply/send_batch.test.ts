import { describe, expect, it } from 'vitest'
import type { Operation } from '../../../src/reconcile/apply/batch_operations.ts'
import { findResults } from '../../../src/reconcile/apply/send_batch.ts'
import { findStale } from '../../../src/reconcile/apply/stale.ts'
import { planOf, type Row, treeOf } from '../support/literals.ts'

const operations: readonly Operation[] = [
  { op: 'create', name: 'made', body: {} },
  { op: 'update', id: 1, if_version: 3, body: {} },
  { op: 'update', id: 1, body: {} },
  { op: 'delete', id: 2, if_version: 1 },
]
const done: readonly Row[] = [
  { id: 9, key: 'made' },
  { id: 1, key: 'changed', version: 5 },
]
const results = (rows: readonly Row[]) => findResults({ operations, manifestId: 'test' }, treeOf(rows))

describe('findResults', () => {
  it('returns the ids if all changes of a batch were made', () => {
    expect(results(done)).toEqual([{ id: 9 }, { id: 1 }, { id: 1 }, { id: 2 }])
  })

  it.each<[string, readonly Row[]]>([
    ['nothing was created', done.slice(1)],
    ['somebody else has taken the key', [{ id: 9, key: 'made', manager: 'other' }, ...done.slice(1)]],
    ['nothing was changed', [...done.slice(0, 1), { id: 1, key: 'changed', version: 3 }]],
    ['what was to be changed is gone', done.slice(0, 1)],
    ['nothing was deleted', [...done, { id: 2, key: 'gone' }]],
  ])('returns undefined if %s', (_, rows) => {
    expect(results(rows)).toBeUndefined()
  })
})

describe('findStale', () => {
  it('finds resources that were changed or deleted since the plan, and ignores new ones', () => {
    const blocks = { a: { displayName: 'A2' }, b: { displayName: 'B2' }, c: { displayName: 'C2' }, d: {} }
    const rows = [
      { id: 1, key: 'a', version: 1 },
      { id: 2, key: 'b', version: 1 },
      { id: 3, key: 'c', version: 1 },
    ]
    const { changes } = planOf({ blocks, rows })
    const now = treeOf([
      { id: 1, key: 'a', version: 2 },
      { id: 3, key: 'c', version: 1 },
    ])
    expect([...findStale(changes, now).values()].map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'apply/stale: "a" was changed on the server since the plan was made.',
      'apply/stale: "b" was deleted on the server since the plan was made.',
    ])
  })
})
