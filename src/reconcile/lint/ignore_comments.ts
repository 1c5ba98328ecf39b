import { findProblemKind, problems } from '../../contract/problems.ts'
import { hasErrors, type Issue } from '../../core/issue.ts'

/** A comment that ignores findings: `# lint-ignore lint/unused-style`, or `# lint-ignore-file …`. */
interface IgnoreComment {
  readonly file: string
  /** Line of the comment, 1-based. */
  readonly line: number
  readonly column: number
  readonly length: number
  readonly isForFile: boolean
  readonly codes: readonly string[]
}

const comment = /(?:^|\s)#\s*lint-ignore(-file)?[ \t]+(\S[^#\r\n]*)/g

/**
 * Removes warnings that a comment ignores: on its line, on the line below it, or in the whole file. Comments that ignore
 * nothing are warnings themselves. Errors cannot be ignored.
 *
 * @param sources texts by file; only YAML files have comments
 */
export function applyIgnoreComments(issues: readonly Issue[], sources: ReadonlyMap<string, string>): Issue[] {
  const comments = [...sources].flatMap(([file, text]) =>
    /\.ya?ml$/i.test(file) ? findComments(file, text) : [],
  )
  const used = new Set<string>()
  const kept = issues.filter((issue) => {
    const hits = comments.filter((one) => issue.severity === 'warning' && isFor(one, issue))
    for (const hit of hits) used.add(idOf(hit, issue.code))
    return hits.length === 0
  })
  // With errors, some rules were not applied.
  if (hasErrors(issues)) return kept
  const unused = comments.flatMap((one) =>
    one.codes.filter((code) => !used.has(idOf(one, code))).map((code) => unusedIssue(one, code)),
  )
  return [...kept, ...unused]
}

const idOf = ({ file, line }: IgnoreComment, code: string) => `${file}:${line} ${code}`

function isFor({ file, line, isForFile, codes }: IgnoreComment, { code, span }: Issue): boolean {
  if (span?.file !== file || !codes.includes(code)) return false
  return isForFile || span.line === line || span.line === line + 1
}

function findComments(file: string, text: string): IgnoreComment[] {
  if (!text.includes('lint-ignore')) return []
  return text.split('\n').flatMap((written, at) =>
    [...written.matchAll(comment)].map(({ 0: whole, 1: forFile, 2: codes = '', index }) => ({
      file,
      line: at + 1,
      column: index + whole.length - whole.trimStart().length + 1,
      length: whole.trim().length,
      isForFile: forFile !== undefined,
      codes: codes.split(/[\s,]+/).filter((code) => code !== ''),
    })),
  )
}

function unusedIssue({ file, line, column, length }: IgnoreComment, code: string): Issue {
  const isKnown = findProblemKind(code) !== undefined
  return {
    code: 'lint/unused-ignore',
    severity: 'warning',
    message: isKnown ? `no finding ${code} to ignore here` : `unknown code "${code}"`,
    span: { file, line, column, endLine: line, endColumn: column + length },
    hint: problems['lint/unused-ignore'].advice,
  }
}
