import type { Issue } from './issue.ts'
import { formatSpan, type Span } from './span.ts'

/** Maximum number of characters shown of a line. */
const maxShown = 160

/** Number of characters shown before the span in a longer line. */
const shownBefore = 60

/**
 * Returns the source line of a span and a line of carets under it, indented by `indent`:
 *
 *     11 |     srs: 4326x
 *        |          ^^^^^
 *
 * Tabs are kept, so that the caret is below its character in any terminal. Of a long line only the part around the span
 * is shown. Returns undefined if the text has no such line.
 */
export function formatExcerpt(text: string, span: Span, indent = '  '): string | undefined {
  const line = linesOf(text)[span.line - 1]
  if (line === undefined) return undefined
  const start = span.column - 1
  const end = span.endLine === span.line ? Math.min(span.endColumn - 1, line.length) : line.length
  const from = line.length > maxShown && start > shownBefore ? start - shownBefore : 0
  const piece = line.slice(from, from + maxShown)
  const left = from > 0 ? '…' : ''
  const right = from + maxShown < line.length ? '…' : ''
  const before = `${left}${line.slice(from, start)}`.replaceAll(/[^\t]/g, ' ')
  const carets = '^'.repeat(Math.max(1, Math.min(end, from + maxShown) - start))
  const gutter = String(span.line)
  return `${indent}${gutter} | ${left}${piece}${right}\n${indent}${' '.repeat(gutter.length)} | ${before}${carets}`
}

let newest: { readonly text: string; readonly lines: readonly string[] } | undefined

/** Splits a text into lines; those of the last text are kept, because the issues of a file are formatted together. */
function linesOf(text: string): readonly string[] {
  if (newest?.text !== text) newest = { text, lines: text.split(/\r?\n/) }
  return newest.lines
}

/**
 * Formats an issue for people: position, severity, code and message, then the source line with a caret, then the hint.
 * `sourceText` is the text of the file of the span.
 *
 *     manifests/roads.yaml:11:14 error manifest/bad-value: roads.vector_layer.srs.id: expected an integer, got "4326x"
 *       11 |     srs: { id: 4326x }
 *          |                ^^^^^
 *       hint: write 3857 or 4326
 */
export function formatIssue(issue: Issue, sourceText?: string): string {
  const { span, severity, code, message, hint } = issue
  const head = `${severity} ${code}: ${message}`
  const excerpt = span && sourceText !== undefined ? formatExcerpt(sourceText, span) : undefined
  return [
    span === undefined ? head : `${formatSpan(span)} ${head}`,
    ...(excerpt === undefined ? [] : [excerpt]),
    ...(hint === undefined ? [] : [`  hint: ${hint}`]),
  ].join('\n')
}
