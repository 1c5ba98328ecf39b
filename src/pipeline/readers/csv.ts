import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { CsvOptions } from '../pipeline_schema.ts'

/** One row of a table. */
export interface TableRow {
  /** Line number of the end of the row, 1-based. */
  readonly line: number
  readonly cells: readonly string[]
}

/** A delimited text table, which can be read once. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: AsyncIterable<TableRow>
  /** Number of bytes read so far. */
  readonly bytesRead: () => number
}

/**
 * Opens a delimited text file in UTF-8. Skips a byte order mark, and yields rows with any number of columns.
 *
 * @throws {Problem} source/unreadable if the file is empty or a quote is not closed, also while rows are read
 */
export async function openCsv(path: string, options: CsvOptions = {}): Promise<Table> {
  const { separator = ',', quote = '"', columns } = options
  const file = createReadStream(path, { highWaterMark: 256 * 1024 })
  const parser = parse({
    bom: true,
    delimiter: separator,
    quote,
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
  })
  file.on('error', (error) => parser.destroy(error))
  parser.on('close', () => file.destroy())
  const rows = rowsOf(file.pipe(parser), path)
  return { columns: columns ?? (await firstRow(rows, path)), rows, bytesRead: () => file.bytesRead }
}

interface ParsedRow {
  readonly info: { readonly lines: number }
  readonly record: string[]
}

async function* rowsOf(parser: AsyncIterable<unknown>, path: string): AsyncGenerator<TableRow, void> {
  let line = 0
  try {
    for await (const row of parser) {
      const { info, record } = row as ParsedRow
      line = info.lines
      yield { line, cells: record }
    }
  } catch (error) {
    throw problemOfTable(error, path, line)
  }
}

/** Returns the problem of an invalid table. For an unclosed quote it names the line of the opening quote. */
function problemOfTable(error: unknown, path: string, lastLine: number): Problem {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  if (code !== 'CSV_QUOTE_NOT_CLOSED')
    return problem('source/unreadable', `${path}: ${message ?? String(error)}`, { cause: error })
  return problem(
    'source/unreadable',
    `${path}: the row that begins in line ${lastLine + 1} has an unclosed quote.`,
    {
      hint: 'Close it, or set csv: { quote: null } if quotes are part of the values.',
      cause: error,
    },
  )
}

async function firstRow(rows: AsyncGenerator<TableRow, void>, path: string): Promise<readonly string[]> {
  const { value } = await rows.next()
  if (value === undefined) throw problem('source/unreadable', `${path} is empty.`)
  return value.cells
}
