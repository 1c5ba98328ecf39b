import { describe, expect, it } from 'vitest'
import { formatIssues } from '../../../src/cli/print/issue_list.ts'
import type { Issue } from '../../../src/core/issue.ts'

const issueOf = (line: number, message: string, code = 'plan/foreign'): Issue => ({
  code,
  severity: 'error',
  message,
  span: { file: 'a.yaml', line, column: 1, endLine: line, endColumn: 2 },
})
const repeat = (count: number, write: (at: number) => Issue) =>
  Array.from({ length: count }, (_, at) => write(at + 1))
const show = (issues: readonly Issue[]) => formatIssues(issues, new Map()).split('\n')

describe('formatIssues', () => {
  it('shows the first three of many issues that differ in values only, and counts the others', () => {
    const lines = show(repeat(1234, (at) => issueOf(at, `"record ${at}" is managed by the manifest "other"`)))
    expect(lines).toEqual([
      'a.yaml:1:1 error plan/foreign: "record 1" is managed by the manifest "other"',
      'a.yaml:2:1 error plan/foreign: "record 2" is managed by the manifest "other"',
      'a.yaml:3:1 error plan/foreign: "record 3" is managed by the manifest "other"',
      '… and 1,231 more of the same kind: error plan/foreign',
    ])
  })

  it('counts each kind separately, whatever record it concerns', () => {
    const two = repeat(40, (at) =>
      at % 2 === 0
        ? issueOf(at, `/${at}/url: missing field "url"`, 'a/b')
        : issueOf(at, `key_${at}.epsg: got ${at}`, 'a/b'),
    )
    expect(show(two)).toHaveLength(8)
    expect(show(two).filter((line) => line.startsWith('… and 17 more'))).toHaveLength(2)
  })

  it('shows all of a few', () => {
    expect(show(repeat(10, (at) => issueOf(at, `"${at}"`)))).toHaveLength(10)
    const different = repeat(20, (at) => issueOf(at, `fault${'x'.repeat(at)}`))
    expect(show(different)).toHaveLength(20)
    expect(formatIssues([], new Map())).toBe('')
  })
})
