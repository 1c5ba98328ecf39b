import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { longFiles, putLongFirst } from './sequencer.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('long-running files come first, the others keep their order', () => {
  const files = ['test/b.test.ts', ...longFiles, 'test/a.test.ts'].map((path) => ({ moduleId: root + path }))
  expect(putLongFirst(files).map(({ moduleId }) => moduleId.slice(root.length))).toEqual([
    ...longFiles,
    'test/b.test.ts',
    'test/a.test.ts',
  ])
})

test.each(longFiles)('%s exists', (path) => {
  expect(existsSync(root + path)).toBe(true)
})
