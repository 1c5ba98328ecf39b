import type { Span } from './span.ts'

/**
 * Gives the source line of a span and a line of carets under it, indented by `indent`:
 *
 *     11 |     srs: 4326x
 *        |          ^^^^^
 *
 * Tabs stay tabs, so that the caret stands under its character in any terminal.
 * Gives undefined where the text has no such line.
 */
export function formatExcerpt(text: string, span: Span, indent = '  '): string | undefined {
  const line = text.split(/\r?\n/, span.line)[span.line - 1]
  if (line === undefined) return undefined
  const gutter = String(span.line)
  const before = line.slice(0, span.column - 1).replaceAll(/[^\t]/g, ' ')
  const end = span.endLine === span.line ? span.endColumn : line.length + 1
  const carets = '^'.repeat(Math.max(1, Math.min(end, line.length + 1) - span.column))
  return `${indent}${gutter} | ${line}\n${indent}${' '.repeat(gutter.length)} | ${before}${carets}`
}
