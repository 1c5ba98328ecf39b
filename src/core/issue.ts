import type { Pointer } from './pointer.ts'
import { compareSpans, type Span } from './span.ts'

/** One fault in an input. Match on `code`, never on `message`. */
export interface Issue {
  /** Stable, `area/fault`; its row in the contract's problem table says what it means. */
  readonly code: string
  /** One sentence with the offending value in it. */
  readonly message: string
  readonly severity: 'error' | 'warning'
  /** Where in a source file, when the input had one. */
  readonly span?: Span
  /** Where in the parsed value. */
  readonly pointer?: Pointer
  /** What to do about it. */
  readonly hint?: string
}

/** Orders issues by position; those without one come first. */
export function compareIssues(a: Issue, b: Issue): number {
  if (a.span && b.span) return compareSpans(a.span, b.span) || compareText(a.code, b.code)
  if (a.span || b.span) return a.span ? 1 : -1
  return compareText(a.pointer ?? '', b.pointer ?? '') || compareText(a.code, b.code)
}

/** Returns whether any of the issues stops the work. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.severity === 'error')
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
