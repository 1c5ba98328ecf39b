import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import type { Issue } from '../../../core/issue.ts'
import { once } from '../../../core/once.ts'
import type { Span } from '../../../core/span.ts'
import { findHint } from '../../../core/suggest.ts'
import { findLineStarts, type Range, spanOfRange } from '../../../document/line_starts.ts'
import { findMemberHint } from '../../../manifest/catalog/record_block.ts'
import { importedNames } from './import_members.ts'
import {
  type ImportFile,
  type ImportRow,
  type ImportRows,
  type Separator,
  spanOfPosition,
  unreadable,
} from './import_row.ts'

/**
 * Reads a table with a header of member names, in any case. Columns are separated by commas, semicolons or tabs. An empty
 * cell is no member, the cell `null` is null. @see RFC 4180
 */
export function readTable({ file, text }: ImportFile): ImportRows {
  const separator = detectSeparator(text)
  const parsed = parseTable({ file, text }, separator)
  if ('issue' in parsed) return { rows: [], issues: [parsed.issue], separator }
  const [header = [], ...records] = parsed.records
  const table = { separator, header, records, spanAt: placeCells({ file, text }, separator) }
  if (header.length === 0)
    return { rows: [], issues: [unreadable('the file is empty', spanOfPosition(file, 1, 1))], separator }
  const names = header.map(memberOf)
  const issues = [...checkHeader(table, names), ...checkWidths(table)]
  const isTable = names.some((name) => name !== undefined)
  return { rows: isTable ? listRows(table, names) : [], issues, separator }
}

interface Table {
  readonly separator: Separator
  readonly header: readonly string[]
  readonly records: readonly (readonly string[])[]
  /** Returns the span of a cell, or of its row. */
  readonly spanAt: (row: number, column: number) => Span
}

type Names = readonly (string | undefined)[]

const separators: readonly Separator[] = [',', ';', '\t']

/** Detects the separator of a table by its header: the one that occurs most, outside quotes. */
function detectSeparator(text: string): Separator {
  const counts = new Map<string, number>()
  let isQuoted = false
  let hasText = false
  for (const character of text) {
    if (character === '\n' && !isQuoted && hasText) break
    hasText ||= character !== '\n'
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const countOf = (separator: Separator) => counts.get(separator) ?? 0
  return separators.reduce((best, one) => (countOf(one) > countOf(best) ? one : best))
}

/** Finds the member of a column by its name, regardless of case. */
function memberOf(column: string): string | undefined {
  const name = column.trim().toLowerCase()
  return importedNames.find((known) => known === name)
}

function checkHeader({ header, records, spanAt }: Table, names: Names): Issue[] {
  return header.flatMap((column, at) => {
    const name = names[at]
    if (name !== undefined)
      return names.indexOf(name) < at ? [unreadable(`duplicate column "${name}"`, spanAt(0, at))] : []
    // Spreadsheets write empty columns, too.
    if (column.trim() === '' && records.every((record) => (record[at] ?? '').trim() === '')) return []
    const hint = findMemberHint('geoservice', column) ?? findHint(column.trim().toLowerCase(), importedNames)
    return [unreadable(`unknown column "${column}"`, spanAt(0, at), hint)]
  })
}

const separatorNames: Readonly<Record<Separator, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
}

/** Returns the name of a separator, in the plural. */
export const nameSeparator = (separator: Separator): string => separatorNames[separator]

function checkWidths({ header, records, spanAt, separator }: Table): Issue[] {
  return records.flatMap((record, at) => {
    if (record.length <= header.length) return []
    const message = `the row has ${record.length} cells, the header has ${header.length}`
    const hint = `Quote values with ${nameSeparator(separator)}.`
    return [unreadable(message, spanAt(at + 1, header.length), hint)]
  })
}

function listRows({ header, records, spanAt }: Table, names: Names): ImportRow[] {
  return records.flatMap((record, at): ImportRow[] => {
    // Spreadsheets write empty rows, too.
    if (record.every((cell) => cell.trim() === '')) return []
    const members = record.slice(0, header.length).flatMap((cell, column) => {
      const name = names[column]
      return name === undefined || cell.trim() === '' ? [] : [[name, isNull(cell) ? null : cell] as const]
    })
    const spanOf = (name?: string) => spanAt(at + 1, Math.max(0, names.indexOf(name)))
    return [{ members: Object.fromEntries(members), pointer: '', spanOf }]
  })
}

const isNull = (cell: string) => cell.trim().toLowerCase() === 'null'

function parseTable({ file, text }: ImportFile, delimiter: Separator) {
  try {
    const records: string[][] = parse(text, { delimiter, relax_column_count: true, skip_empty_lines: true })
    return { records }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { lines = 1 } = error as { readonly lines?: number }
    return { issue: unreadable(error.message, spanOfPosition(file, lines, 1)) }
  }
}

function placeCells({ file, text }: ImportFile, separator: Separator): Table['spanAt'] {
  const cells = once(() => [...locateCells(text, separator)])
  const lines = once(() => findLineStarts(text))
  return (row, column) => {
    const found = cells()[row]
    const range = found?.[column] ?? found?.[0]
    return range === undefined ? spanOfPosition(file, 1, 1) : spanOfRange(file, lines(), range)
  }
}

const quoted = /"(?:[^"]|"")*"/y

/** Finds the ranges of the cells of each row. */
function* locateCells(text: string, separator: Separator): Generator<Range[]> {
  const plain = new RegExp(`[^${separator}\n]*`, 'y')
  let at = 0
  while (at < text.length) {
    const cells: Range[] = []
    for (let isLast = text[at] === '\n'; !isLast; at += 1) {
      const start = at
      at = endOf(plain, text, endOf(quoted, text, at))
      cells.push({ start, end: at })
      isLast = text[at] !== separator
    }
    if (cells.length > 0) yield cells
    else at += 1
  }
}

function endOf(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}
