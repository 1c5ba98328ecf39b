import { expect, it } from 'vitest'
import type { JournalChange } from '../../../src/contract/bodies/journal.ts'
import { collectTree } from '../../../src/reconcile/model/actual_tree.ts'
import { assignKeys } from '../../../src/reconcile/undo/assign_keys.ts'

const head = { landform: '1', caller: 'a', administrator: true, complete: true, principals: [] }

it('gives each restored resource a key of its own, as the journal has it where there is no keyname', () => {
  const tree = collectTree()
  const group = (id: number, displayName: string, keyname: string | null) => ({
    resource: { id, cls: 'resource_group', keyname, display_name: displayName, parent: { id: 0 } },
  })
  const rows = [
    group(1, 'Roads', null),
    group(2, 'Other', 'roads'),
    group(3, 'Top', null),
    group(4, 'Area', null),
  ]
  for (const row of rows) tree.take(row as never)
  const actual = tree.finish(head as never)
  const before = new Map([1, 2, 3, 4].map((id) => [id, { resource: actual.byId.get(id) as never }]))
  const deleted = { ...actual, byId: new Map(), byKeyname: new Map() }
  const recorded = (id: number, key: string) => ({ id, key, cls: 'resource_group' }) as JournalChange
  const keys = assignKeys(before, deleted as never, [
    recorded(3, 'top_group'),
    recorded(4, '#4'),
    recorded(1, 'roads'),
  ])
  expect([...keys.values()]).toEqual(['roads_2', 'roads', 'top_group', 'area'])
})
