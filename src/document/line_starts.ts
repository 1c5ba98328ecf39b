import type { Span } from '../core/span.ts'

/** Offsets of the line starts of a text, ascending; the first is 0. */
export type LineStarts = readonly number[]

/** Finds the line starts of a text. Lines end with LF or CRLF. */
export function findLineStarts(text: string): LineStarts {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** A range of a text, in UTF-16 code units; `end` is the first unit after it. */
export interface Range {
  readonly start: number
  readonly end: number
}

/** Returns the 1-based number of the line that contains an offset. */
export function lineAt(starts: LineStarts, offset: number): number {
  let low = 0
  let high = starts.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= offset) low = middle
    else high = middle
  }
  return low + 1
}

/** Converts a range to lines and columns. */
export function spanOfRange(file: string, starts: LineStarts, { start, end }: Range): Span {
  const line = lineAt(starts, start)
  const endLine = lineAt(starts, end)
  return {
    file,
    line,
    column: start - (starts[line - 1] ?? 0) + 1,
    endLine,
    endColumn: end - (starts[endLine - 1] ?? 0) + 1,
  }
}
