/** A range of a source text. Lines and columns are 1-based; columns count UTF-16 code units. */
export interface Span {
  /** Displayed path: relative to the working directory if possible. */
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** Returns `file:line`. */
export const formatLine = ({ file, line }: Pick<Span, 'file' | 'line'>) =>
  line === 0 ? file : `${file}:${line}`

/** Place that has a name, and no lines: an entry of the journal. */
export const wholeSpan = (name: string): Span => ({
  file: name,
  line: 0,
  column: 0,
  endLine: 0,
  endColumn: 0,
})

/** Returns `file:line:column`, which editors and terminals turn into links. */
export function formatSpan(span: Span): string {
  if (span.line === 0) return span.file
  return `${span.file}:${span.line}:${span.column}`
}

/** Orders spans by file, then line, then column. */
export function compareSpans(a: Span, b: Span): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1
  return a.line - b.line || a.column - b.column
}
