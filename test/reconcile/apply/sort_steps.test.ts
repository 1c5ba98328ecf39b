import { describe, expect, it } from 'vitest'
import { sortSteps } from '../../../src/reconcile/apply/batch_operations.ts'
import type { Change, Step } from '../../../src/reconcile/model/change.ts'

const step = (id: string, after: readonly string[] = [], more: Partial<Step & Change> = {}): Step => {
  const { kind = 'write', phase = 'first', cls = 'resource_group', action = 'create' } = more
  const change: Change = { action, key: id, cls, displayName: id, path: [], edits: [], body: {} }
  return { id, kind, change, after, phase }
}

const sorted = (steps: readonly Step[]) => sortSteps(steps).map(({ id }) => id)

describe('sortSteps', () => {
  it('orders each step after its dependencies, and the last phase at the end', () => {
    const steps = [
      step('gone', [], { kind: 'delete', action: 'delete', phase: 'last' }),
      step('d', ['b', 'c']),
      step('c', ['a']),
      step('b', ['a']),
      step('a'),
    ]
    expect(sorted(steps)).toEqual(['a', 'c', 'b', 'd', 'gone'])
  })

  it('groups steps of one kind that have no further dependencies', () => {
    const steps = [
      step('l1', [], { cls: 'vector_layer' }),
      step('g1'),
      step('u1', [], { action: 'update' }),
      step('l2', [], { cls: 'vector_layer' }),
      step('g2'),
    ]
    expect(sorted(steps)).toEqual(['l1', 'l2', 'g1', 'g2', 'u1'])
  })

  it('ignores missing dependencies', () => {
    expect(sorted([step('a', ['elsewhere'])])).toEqual(['a'])
  })

  it('names the changes of a cycle', () => {
    expect(() => sorted([step('a', ['b']), step('b', ['a']), step('x')])).toThrow(
      'Cannot order the changes of "a", "b": they depend on each other.',
    )
  })
})
