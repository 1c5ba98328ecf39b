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

/** Orders issues by position, those without one first, then by pointer and code. */
export function compareIssues(a: Issue, b: Issue): number {
  const byPointer = a.span || b.span ? 0 : compareText(a.pointer ?? '', b.pointer ?? '')
  return comparePositions(a, b) || byPointer || compareText(a.code, b.code)
}

/** Sorts issues by position, those without one first. Others keep their order. */
export function sortIssues(issues: readonly Issue[]): Issue[] {
  return issues.toSorted(comparePositions)
}

function comparePositions({ span: a }: Issue, { span: b }: Issue): number {
  return a && b ? compareSpans(a, b) : Number(a !== undefined) - Number(b !== undefined)
}

/** Returns whether any of the issues is an error. */
export function hasErrors(issues: readonly Issue[]): boolean {
  return issues.some((issue) => issue.severity === 'error')
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
