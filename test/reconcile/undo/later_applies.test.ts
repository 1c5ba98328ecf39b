import { expect, it } from 'vitest'
import type { JournalChange, JournalEntry } from '../../../src/contract/bodies/journal.ts'
import { cancelOut, isAsLeft } from '../../../src/reconcile/undo/later_applies.ts'

it.each([
  ['nothing', [], true],
  ['a later apply', [{ id: 2 }], false],
  ['a later apply and its undo', [{ id: 2 }, { id: 3, undoes: 2 }], true],
  ['an undone undo', [{ id: 2 }, { id: 3, undoes: 2 }, { id: 4, undoes: 3 }], false],
  ['its own undo', [{ id: 2, undoes: 1 }], false],
  [
    'its own undo, undone',
    [
      { id: 2, undoes: 1 },
      { id: 3, undoes: 2 },
    ],
    true,
  ],
  ['undos in another order', [{ id: 2 }, { id: 3 }, { id: 4, undoes: 2 }, { id: 5, undoes: 3 }], false],
  ['undos in reverse order', [{ id: 2 }, { id: 3 }, { id: 4, undoes: 3 }, { id: 5, undoes: 2 }], true],
])('after %s', (_, since, isBack) => {
  expect(cancelOut(1, since)).toBe(isBack)
})

const change = (more: Partial<JournalChange>): JournalChange => ({
  ...{
    action: 'update',
    key: 'roads',
    cls: 'vector_layer',
    display_name: 'Roads',
    id: 7,
    outcome: 'updated',
  },
  ...{ version: 2, data_version: 1 },
  ...more,
})

const entry = (id: number, undoes: number | null, more: Partial<JournalChange>): JournalEntry => ({
  ...{ id, undoes, user: 'ada', manifest: 'city', began: '', ended: null, result: 'applied', counts: {} },
  changes: [change(more)],
})

const update = entry(2, null, { version: 3, version_before: 2, data_version_before: 1 })
const undo = entry(3, 2, { version: 4, version_before: 3, data_version_before: 1 })
const left = (version: number, dataVersion = 1) => ({
  ...{ entry: 1, change: change({}), there: { version, dataVersion } },
})

it('is as an apply left it after an update that was undone, unless something else changed it', () => {
  expect(isAsLeft(left(4), [undo, update])).toBe(true)
  expect(isAsLeft(left(5), [undo, update])).toBe(false)
  expect(isAsLeft(left(4, 2), [undo, update])).toBe(false)
  expect(isAsLeft(left(3), [update])).toBe(false)
  const edited = entry(3, 2, { version: 5, version_before: 4, data_version_before: 1 })
  expect(isAsLeft(left(5), [edited, update])).toBe(false)
  const written = entry(3, 2, { version: 4, version_before: 3, data_version_before: 2, data_version: 3 })
  expect(isAsLeft(left(4, 3), [written, update])).toBe(false)
})

it('is not as an apply left it after a load that was undone without its data', () => {
  const before = { version_before: 2, data_version_before: 1 }
  const load = entry(2, null, { ...before, version: 3, data_version: 2 })
  const after = { version_before: 3, data_version_before: 2 }
  const whole = entry(3, 2, { ...after, version: 4, data_version: 3 })
  expect(isAsLeft(left(4, 3), [whole, load])).toBe(true)
  const partial = entry(3, 2, { ...after, version: 4, data_version: 2 })
  expect(isAsLeft(left(4, 2), [partial, load])).toBe(false)
})

it('is as an apply left it after a deletion that was undone', () => {
  const deleted = { action: 'delete', outcome: 'deleted', version: null } as const
  const deletion = entry(2, null, { ...deleted, version_before: 2, data_version_before: 1 })
  const restored = entry(3, 2, { action: 'create', outcome: 'created', version: 3 })
  expect(isAsLeft(left(3), [restored, deletion])).toBe(true)
  expect(isAsLeft(left(4), [restored, deletion])).toBe(false)
  const edited = entry(2, null, { ...deleted, version_before: 3, data_version_before: 1 })
  expect(isAsLeft(left(4), [restored, edited])).toBe(false)
  const failed = entry(4, null, { outcome: 'failed', version_before: 3 })
  expect(isAsLeft(left(3), [failed, restored, deletion])).toBe(true)
})
