import { expect, it } from 'vitest'
import { formatPlan } from '../../../src/cli/print/plan.ts'
import { painter } from '../../../src/cli/print/text_format.ts'
import { planOf } from '../../reconcile/support/literals.ts'

it('shows adopted resources that also change with the mark and the count of the change', () => {
  const plan = planOf({
    blocks: { a: {}, b: { displayName: 'New' }, c: { parent: 'a' } },
    rows: [
      { id: 1, key: 'a', manager: 'other' },
      { id: 2, key: 'b', name: 'Old', manager: 'other' },
      { id: 3, key: 'c', manager: 'other' },
    ],
    options: { adopt: true },
  })
  expect(formatPlan(plan, painter(false)).split('\n')).toEqual([
    '  = a  resource_group  Main / a',
    '      managed by this manifest from now on',
    '  ~ b  resource_group  Main / New',
    '      managed by this manifest from now on',
    '      display_name  "Old" → "New"',
    '  > c  resource_group  Main / a / c',
    '      managed by this manifest from now on',
    '      parent  "root" → "a"',
    '',
    'Plan for test: 1 to adopt, 1 to update, 1 to move, 1 unchanged.',
  ])
})

it('counts records of the catalog that the account may not manage, instead of listing them', () => {
  const reason = 'this account cannot manage the catalog'
  const unknown = ['a', 'b', 'c'].map((key) => ({ key, cls: 'geoservice' as const, path: [key], reason }))
  const plan = { ...planOf({ blocks: {}, rows: [] }), changes: [], unknown, unchanged: 0, issues: [] }
  expect(formatPlan(plan, painter(false)).split('\n')).toEqual([
    '  ? 3 records of the catalog',
    '      this account cannot manage the catalog',
    '',
    'Plan for test: 3 unknown, 0 unchanged.',
  ])
})
