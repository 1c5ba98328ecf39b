import type { Pointer } from './pointer.ts'
import { compareSpans, type Span } from './span.ts'

/** A fault in an input. Match on `code`, never on `message`. */
export interface Issue {
  /** Stable code `area/fault`, described in the problem table of the contract. */
  readonly code: string
  /** One sentence that contains the offending value. */
  readonly message: string
  readonly severity: 'error' | 'warning'
  /** Position in the source file, if there is one. */
  readonly span?: Span
  /** Position in the parsed value. */
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

/** Sorts issues by position, in stable order; those without one come first. */
export function sortIssues(issues: readonly Issue[]): Issue[] {
  return issues.toSorted((a, b) => {
    if (a.span && b.span) return compareSpans(a.span, b.span)
    return Number(a.span !== undefined) - Number(b.span !== undefined)
  })
}

/** Returns whether any of the issues is an error. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.severity === 'error')
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
