import { describe, expect, it } from 'vitest'
import { formatExcerpt, formatIssue } from '../../src/core/excerpt.ts'

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

  it('keeps tabs, so that the caret is below its character', () => {
    expect(formatExcerpt('\tkey: x', span(1, 7, 1, 8), '')).toBe('1 | \tkey: x\n  | \t     ^')
  })

  it('stops at the end of the line for values over several lines', () => {
    expect(formatExcerpt('xml: |\r\n  a\r\n', span(1, 6, 2, 4), '')).toBe('1 | xml: |\n  |      ^')
  })

  it('returns undefined for a missing line', () => {
    expect(formatExcerpt('one line', span(3, 1, 3, 2))).toBeUndefined()
  })
})

describe('formatExcerpt of a long line', () => {
  const line = `key: [${'x, '.repeat(100)}bad, ${'y, '.repeat(100)}z]`

  it('shows the part around the span, with the caret below it', () => {
    const [shown = '', carets = ''] = formatExcerpt(line, span(1, 307, 1, 310), '')?.split('\n') ?? []
    expect(shown.length).toBeLessThan(180)
    expect(shown).toMatch(/^1 \| ….*bad.*…$/)
    expect(shown.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('bad')
  })
})

describe('formatIssue', () => {
  const issue = { code: 'a/b', message: 'wrong "x"', severity: 'error', hint: 'mend it' } as const

  it('writes position, severity, code and message in the first line, then the source, then the hint', () => {
    expect(formatIssue({ ...issue, span: span(1, 4, 1, 5) }, 'a: x\n')).toBe(
      'f:1:4 error a/b: wrong "x"\n  1 | a: x\n    |    ^\n  hint: mend it',
    )
  })

  it('works without a span and without source text', () => {
    expect(formatIssue(issue)).toBe('error a/b: wrong "x"\n  hint: mend it')
    expect(formatIssue({ ...issue, span: span(1, 4, 1, 5) })).toBe(
      'f:1:4 error a/b: wrong "x"\n  hint: mend it',
    )
  })
})
