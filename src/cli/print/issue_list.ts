import { countOf, showNumber } from '../../core/count.ts'
import { formatIssue } from '../../core/excerpt.ts'
import type { Issue } from '../../core/issue.ts'
import { withoutColours } from './text_format.ts'

/** Issues of a kind that are all shown; of more, only the first ones are. */
const maxShown = 10
const shownOfMany = 3

/**
 * Formats issues, each with its source line. Of many issues of one kind, which differ in values and positions only, shows
 * the first three and the number of the others.
 */
export function formatIssues(issues: readonly Issue[], sources: ReadonlyMap<string, string>): string {
  const kinds = new Map<string, number>()
  for (const issue of issues) kinds.set(kindOf(issue), (kinds.get(kindOf(issue)) ?? 0) + 1)
  const shown = new Map<string, number>()
  const lines = issues.flatMap((issue) => {
    const kind = kindOf(issue)
    const count = kinds.get(kind) ?? 0
    const number = (shown.get(kind) ?? 0) + 1
    shown.set(kind, number)
    const isMany = count > maxShown
    if (isMany && number > shownOfMany) return []
    const text = formatIssue(issue, issue.span === undefined ? undefined : sources.get(issue.span.file))
    if (!isMany || number < shownOfMany) return [text]
    return [
      text,
      `… and ${showNumber(count - shownOfMany)} more of the same kind: ${issue.severity} ${issue.code}`,
    ]
  })
  return withoutColours(lines.join('\n'))
}

/** Number of issues with a code and severity. */
export interface CodeCount {
  readonly code: string
  readonly severity: Issue['severity']
  readonly count: number
}

/** Counts issues by severity and code: errors first, then the most frequent first. */
export function countByCode(issues: readonly Issue[]): CodeCount[] {
  const counts = new Map<string, CodeCount>()
  for (const { code, severity } of issues) {
    const count = (counts.get(`${severity} ${code}`)?.count ?? 0) + 1
    counts.set(`${severity} ${code}`, { code, severity, count })
  }
  return [...counts.values()].sort(
    (a, b) =>
      (a.severity < b.severity ? -1 : Number(a.severity > b.severity)) ||
      b.count - a.count ||
      (a.code < b.code ? -1 : 1),
  )
}

/** Formats the counts of issues by severity and code, a line each; empty for a single issue. */
export function formatCodeCounts(issues: readonly Issue[]): string[] {
  if (issues.length < 2) return []
  const counts = countByCode(issues).map(({ count, severity, code }) => ({
    number: countOf(count, severity),
    code,
  }))
  const width = Math.max(0, ...counts.map(({ number }) => number.length))
  return counts.map(({ number, code }) => `${number.padEnd(width)}  ${code}`)
}

/** Returns what issues of a kind have in common: code and message, without values, numbers and names of records. */
function kindOf({ severity, code, message }: Issue): string {
  const words = message
    .replace(/^\S*[./](\S+: )/, '$1')
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\d+/g, '0')
  return `${severity} ${code} ${words}`
}
