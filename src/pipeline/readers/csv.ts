import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { TextDecoder } from 'node:util'
import { parse } from 'csv-parse'
import { problem } from '../../contract/problems.ts'
import { isProblem, type Problem } from '../../core/problem.ts'
import { createUtf8StreamDetector, findDecoder } from '../../gdal/sources/text/encoding.ts'
import type { CsvOptions } from '../pipeline_schema.ts'

/** One row of a table. */
export interface TableRow {
  /** Line number of the end of the row, 1-based. */
  readonly line: number
  readonly cells: readonly string[]
  /** Encoding of the file, if it has invalid bytes, for which U+FFFD stands in the cells. */
  readonly damagedEncoding?: string | undefined
}

/** How a table of text is read. */
export interface TableFormat {
  readonly csv?: CsvOptions | undefined
  /** Encoding of the text; UTF-8 if absent. */
  readonly encoding?: string | undefined
}

/** A delimited text table, which can be read once. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: AsyncIterable<TableRow>
  /** Number of bytes read so far. */
  readonly bytesRead: () => number
}

/** Text of a file in UTF-8, and the encoding it had. */
interface DecodedText {
  /** The text; in UTF-8 with invalid bytes if it had them, otherwise U+FFFD stands for them. */
  readonly pieces: AsyncIterable<Buffer | string>
  readonly encoding: string
  /** Whether the text that was read so far has invalid bytes. */
  isDamaged(): boolean
}

/** A text file to decode. */
interface EncodedText {
  readonly path: string
  readonly chunks: AsyncIterable<Buffer>
  /** Encoding of the text; UTF-8 if absent. */
  readonly encoding: string | undefined
}

const byteOrderMark = Buffer.from('\uFEFF')

interface Decoder {
  /** Decodes a chunk, or the end of the text. */
  decode(chunk?: Buffer): Buffer | string
  isDamaged(): boolean
  /** Whether the text can only be UTF-8, although another encoding is declared. */
  isUtf8?(): boolean
}

/**
 * Opens a delimited text file. Skips a byte order mark, and yields rows with any number of columns.
 *
 * @throws {Problem} source/unreadable if the file is empty, its header has invalid bytes or a quote is not closed, also while
 *   rows are read; usage/bad-argument for an unknown encoding
 */
export async function openCsv(path: string, { csv = {}, encoding }: TableFormat = {}): Promise<Table> {
  const { separator = ',', quote = '"', columns } = csv
  const file = createReadStream(path, { highWaterMark: 256 * 1024 })
  let lastLine = 0
  const parser = parse({
    // An error discards rows that nobody has read yet.
    on_record: (row, { lines }) => {
      lastLine = lines
      return row
    },
    bom: true,
    delimiter: separator,
    quote,
    relax_column_count: true,
    // By itself, the parser takes the first line end for that of all lines.
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    info: true,
  })
  const decoded = decodeText({ path, chunks: file, encoding })
  const text = Readable.from(decoded.pieces)
  text.on('error', (error) => parser.destroy(error))
  parser.on('close', () => {
    text.destroy()
    file.destroy()
  })
  const toProblem = (error: unknown) => problemOfTable(error, path, lastLine)
  const rows = rowsOf(text.pipe(parser), decoded, toProblem)
  return { columns: columns ?? (await firstRow(rows, path)), rows, bytesRead: () => file.bytesRead }
}

interface ParsedRow {
  readonly info: { readonly lines: number }
  readonly record: string[]
}

async function* rowsOf(
  parser: AsyncIterable<unknown>,
  { isDamaged, encoding }: DecodedText,
  toProblem: (error: unknown) => Problem,
): AsyncGenerator<TableRow, void> {
  try {
    for await (const row of parser) {
      const { info, record } = row as ParsedRow
      yield { line: info.lines, cells: record, ...(isDamaged() ? { damagedEncoding: encoding } : {}) }
    }
  } catch (error) {
    throw toProblem(error)
  }
}

/** Returns the problem of an invalid table. For an unclosed quote it names the line after the last complete row. */
function problemOfTable(error: unknown, path: string, lastLine: number): Problem {
  if (isProblem(error)) return error
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
  const { cells, damagedEncoding } = value
  const damaged = cells.find((name) => damagedEncoding !== undefined && name.includes('\uFFFD'))
  if (damaged === undefined) return cells
  throw problem('source/unreadable', `${path}: the column name "${damaged}" is not ${damagedEncoding}.`, {
    hint: 'Set from.encoding to the encoding of the file, such as CP1251.',
  })
}

/**
 * Decodes a text file. A byte order mark of UTF-8 overrides the encoding.
 *
 * @throws {Problem} usage/bad-argument for an unknown encoding; while reading, source/unreadable if the text can only be
 *   UTF-8
 */
function decodeText({ path, chunks, encoding = 'UTF-8' }: EncodedText): DecodedText {
  const found = findDecoder(encoding)
  if (found === undefined)
    throw problem('usage/bad-argument', `The encoding ${JSON.stringify(encoding)} is not known.`)
  const label = found.encoding
  let decoder: Decoder | undefined
  async function* decode(): AsyncGenerator<Buffer | string, void> {
    for await (const chunk of chunks) {
      const hasMark = chunk.subarray(0, byteOrderMark.length).equals(byteOrderMark)
      decoder ??= hasMark || label === 'utf-8' ? utf8Decoder() : otherDecoder(label)
      yield decoder.decode(chunk)
    }
    const rest = decoder?.decode() ?? ''
    if (rest.length > 0) yield rest
    if (decoder?.isUtf8?.())
      throw problem('source/unreadable', `${path} is in UTF-8, not ${encoding}.`, {
        hint: 'Remove from.encoding.',
      })
  }
  return { pieces: decode(), encoding, isDamaged: () => decoder?.isDamaged() ?? false }
}

/** Finds invalid bytes only; a valid text may have U+FFFD, too. */
function utf8Decoder(): Decoder {
  const strict = new TextDecoder('utf-8', { fatal: true })
  let isDamaged = false
  return {
    decode(chunk) {
      try {
        if (!isDamaged) strict.decode(chunk, { stream: chunk !== undefined })
      } catch {
        isDamaged = true
      }
      return chunk ?? ''
    },
    isDamaged: () => isDamaged,
  }
}

function otherDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label)
  const detector = createUtf8StreamDetector()
  let isDamaged = false
  return {
    decode(chunk) {
      if (chunk !== undefined) detector.add(chunk)
      const text = decoder.decode(chunk, { stream: chunk !== undefined })
      isDamaged ||= text.includes('\uFFFD')
      return text
    },
    isDamaged: () => isDamaged,
    isUtf8: () => detector.isUtf8(),
  }
}
