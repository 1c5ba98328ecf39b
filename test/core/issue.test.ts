import { describe, expect, it } from 'vitest'
import { compareIssues, type Issue } from '../../src/core/issue.ts'
import { formatLine, formatSpan, wholeSpan } from '../../src/core/span.ts'

const at = (code: string, file: string, line: number, column: number): Issue => ({
  code,
  message: '',
  severity: 'error',
  span: { file, line, column, endLine: line, endColumn: column },
})

describe('compareIssues', () => {
  it('orders by file, line, column, then code; issues without a position come first', () => {
    const loose: Issue = { code: 'z', message: '', severity: 'error' }
    const issues = [at('b', 'a', 2, 1), at('a', 'b', 1, 1), at('a', 'a', 2, 1), at('c', 'a', 1, 9), loose]
    expect(issues.sort(compareIssues).map(({ code, span }) => `${code} ${span?.file ?? '-'}`)).toEqual([
      'z -',
      'c a',
      'a a',
      'b a',
      'a b',
    ])
  })
})

it('places without lines have only their name', () => {
  expect([formatSpan(wholeSpan('entry 6')), formatLine(wholeSpan('entry 6'))]).toEqual(['entry 6', 'entry 6'])
  const span = { ...wholeSpan('a.yaml'), line: 2, column: 3 }
  expect([formatSpan(span), formatLine(span)]).toEqual(['a.yaml:2:3', 'a.yaml:2'])
})
