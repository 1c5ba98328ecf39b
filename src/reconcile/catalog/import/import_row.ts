import type { Issue } from '../../../core/issue.ts'
import type { Span } from '../../../core/span.ts'

/** A record of an imported file. */
export interface ImportRow {
  /** Members by name, as in the file; cells of a table are strings, or null. Empty cells are no members. */
  readonly members: Readonly<Record<string, unknown>>
  /** Position of the record in a JSON document: `/3`; empty in tables and lines. */
  readonly pointer: string
  /** Returns the span of a member, or of the record. */
  spanOf(member?: string): Span
}

/** Separators of the columns of a table. */
export type Separator = ',' | ';' | '\t'

/** Records of a file, and the faults that keep it from being read. */
export interface ImportRows {
  readonly rows: readonly ImportRow[]
  readonly issues: readonly Issue[]
  /** Separator of the columns of a table. */
  readonly separator?: Separator
}

/** A file to import. */
export interface ImportFile {
  /** Path as shown in messages. */
  readonly file: string
  /** Text with line feeds. */
  readonly text: string
}

/** Creates a fault of a file. */
export function unreadable(message: string, span: Span, hint?: string): Issue {
  return {
    code: 'source/unreadable',
    severity: 'error',
    message,
    span,
    ...(hint === undefined ? {} : { hint }),
  }
}

/** Returns the span of a position, one character long. */
export function spanOfPosition(file: string, line: number, column: number): Span {
  return { file, line, column, endLine: line, endColumn: column + 1 }
}
