import { describe, expect, it } from 'vitest'
import { formatExcerpt } from '../../src/core/excerpt.ts'

const span = (line: number, column: number, endLine: number, endColumn: number) => ({
  file: 'f',
  line,
  column,
  endLine,
  endColumn,
})

describe('formatExcerpt', () => {
  it('puts carets under the value', () => {
    expect(formatExcerpt('a: 1\nsrs: 4326x\n', span(2, 6, 2, 11))).toBe('  2 | srs: 4326x\n    |      ^^^^^')
  })

  it('keeps tabs, so that the caret stands under its character', () => {
    expect(formatExcerpt('\tkey: x', span(1, 7, 1, 8), '')).toBe('1 | \tkey: x\n  | \t     ^')
  })

  it('stops at the end of the line for values over several lines', () => {
    expect(formatExcerpt('xml: |\r\n  a\r\n', span(1, 6, 2, 4), '')).toBe('1 | xml: |\n  |      ^')
  })

  it('gives nothing for a line that is not there', () => {
    expect(formatExcerpt('one line', span(3, 1, 3, 2))).toBeUndefined()
  })
})
