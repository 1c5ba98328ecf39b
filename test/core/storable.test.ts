import { expect, test } from 'vitest'
import { isStorableText, storableStart } from '../../src/core/storable.ts'

test.each([
  ['abc', 'abc'],
  ['abcdef', 'abcd'],
  ['a\0b\0cdef', 'abcd'],
  ['abc😀', 'abc'],
  ['ab😀c', 'ab😀'],
  ['a\ud83db', 'a\ufffdb'],
  ['', ''],
])('the first four characters of %j are %j', (text, start) => {
  expect(storableStart(text, 4)).toBe(start)
  expect(isStorableText(start)).toBe(true)
})
