import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { once } from '../../../core/once.ts'
import { findLineStarts, type Range, spanOfRange } from '../../../document/line_starts.ts'
import { type ImportFile, type ImportRow, type ImportRows, spanOfPosition, unreadable } from './import_row.ts'

/** Reads a table of comma-separated values with a header of member names. @see RFC 4180 */
export function readTable({ file, text }: ImportFile): ImportRows {
  const parsed = parseTable({ file, text })
  if ('issue' in parsed) return { rows: [], issues: [parsed.issue] }
  const [header = [], ...records] = parsed.records
  const cells = once(() => [...locateCells(text)])
  const lines = once(() => findLineStarts(text))
  const spanAt = (row: number, column: number) => {
    const found = cells()[row]
    const range = found?.[column] ?? found?.[0]
    return range === undefined ? spanOfPosition(file, 1, 1) : spanOfRange(file, lines(), range)
  }
  if (header.length === 0)
    return { rows: [], issues: [unreadable('the file is empty', spanOfPosition(file, 1, 1))] }
  const issues = [
    ...header.flatMap((name, at) =>
      header.indexOf(name) < at ? [unreadable(`duplicate column "${name}"`, spanAt(0, at))] : [],
    ),
    ...records.flatMap((record, at) => {
      if (record.length <= header.length) return []
      const message = `the row has ${record.length} cells, the header has ${header.length}`
      return [unreadable(message, spanAt(at + 1, header.length), 'Quote values with commas.')]
    }),
  ]
  const rows = records.map((record, at): ImportRow => {
    const members = Object.fromEntries(
      record.slice(0, header.length).map((cell, index) => [header[index], cell]),
    )
    return { members, pointer: '', spanOf: (name = '') => spanAt(at + 1, Math.max(0, header.indexOf(name))) }
  })
  return { rows, issues }
}

function parseTable({ file, text }: ImportFile) {
  try {
    const records: string[][] = parse(text, { relax_column_count: true, skip_empty_lines: true })
    return { records }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines = 1 } = error as { readonly lines?: number }
    return { issue: unreadable(error.message, spanOfPosition(file, lines, 1)) }
  }
}

const quoted = /"(?:[^"]|"")*"/y
const plain = /[^,\n]*/y

/** Finds the ranges of the cells of each row. */
function* locateCells(text: string): Generator<Range[]> {
  let at = 0
  while (at < text.length) {
    const cells: Range[] = []
    for (let isLast = text[at] === '\n'; !isLast; at += 1) {
      const start = at
      at = endOf(plain, text, endOf(quoted, text, at))
      cells.push({ start, end: at })
      isLast = text[at] !== ','
    }
    if (cells.length > 0) yield cells
    else at += 1
  }
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}
