import { expect, test } from 'vitest'
import { findNameFault } from '../../../src/contract/formats/file_name.ts'

test.each(['a', 'a.txt', 'maps/north.pdf', 'Übersicht 1.pdf', '..a', 'a..', '...', 'a/.hidden', '地图.png'])(
  '%s is a valid file name',
  (name) => {
    expect(findNameFault(name)).toBeUndefined()
  },
)

test.each([
  ['..', 'has a "." or ".." part'],
  ['a/../../b', 'has a "." or ".." part'],
  ['./a', 'has a "." or ".." part'],
  ['/etc/passwd', 'is not relative'],
  ['a//b', 'has an empty part'],
  ['a/', 'has an empty part'],
  ['a/ /b', 'has an empty part'],
  ['..\\a', 'has a backslash'],
  ['C:a', 'starts with a drive letter'],
  ['a\nb', 'has control characters'],
  ['a\u007f', 'has control characters'],
  ['ä'.repeat(128), 'is longer than 255 bytes'],
])('%j %s', (name, fault) => {
  expect(findNameFault(name)).toBe(fault)
})
