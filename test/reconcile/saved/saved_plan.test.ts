import { expect, test } from 'vitest'
import { formatKeyRecord } from '../../../src/contract/markers.ts'
import type { Change } from '../../../src/reconcile/model/change.ts'
import { compareSaved, saveChanges } from '../../../src/reconcile/saved/saved_plan.ts'
import { planOf } from '../support/literals.ts'

const upload = { path: '/a/photo.jpg', sha256: '0', sizeBytes: 5 }
const features = {
  ...{ key: 'name', clear: [], digests: {} },
  items: [{ key: 'one', attachments: [{ name: 'photo.jpg', upload }] }],
}

/** A change that only records the key of a resource. */
const recordingOf = (): Change => {
  const meta = { 'landform.key': formatKeyRecord(1, { key: 'a', was: 'b' }) }
  const [change] = planOf({ blocks: { a: {} }, rows: [{ id: 1, key: 'a', meta }] }).changes
  return change as Change
}

test.each<[string, Partial<Change>, Partial<Change>]>([
  ['what is recorded', {}, { records: { gained: ['description'], lost: [] } }],
  ['a source that is recorded', {}, { marksSource: 'roads.geojson' }],
  [
    'the content of an attachment',
    { features },
    {
      features: {
        ...features,
        items: [{ key: 'one', attachments: [{ name: 'photo.jpg', upload: { ...upload, sha256: '1' } }] }],
      },
    },
  ],
  [
    'the content of a file',
    { files: [{ name: 'a', upload }] },
    { files: [{ name: 'a', upload: { ...upload, sha256: '1' } }] },
  ],
  ['where a password is', { password: { env: 'A' } }, { password: { env: 'B' } }],
])('a saved plan is stale if %s changes', (_, before, after) => {
  const change = recordingOf()
  const save = (more: Partial<Change>) => ({
    files: [],
    changes: saveChanges({ changes: [{ ...change, ...more }] }),
  })
  expect(change.action).toBe('adopt')
  expect(compareSaved(save(before), save(after)).map(({ message }) => message)).toEqual([
    'the change of "a" differs from the saved plan',
  ])
  expect(compareSaved(save(before), save(before))).toEqual([])
})

test('a saved plan is the same on machines with files in other folders', () => {
  const change = recordingOf()
  const save = (folder: string) => {
    const there = { ...upload, path: `${folder}/photo.jpg` }
    const items = [{ key: 'one', attachments: [{ name: 'photo.jpg', upload: there }] }]
    const files = [{ name: 'a', upload: there }]
    const password = { file: 'a.txt', path: `${folder}/a.txt` }
    return saveChanges({ changes: [{ ...change, files, features: { ...features, items }, password }] })
  }
  expect(save('/a')).toEqual(save('/b'))
})
