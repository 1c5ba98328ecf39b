import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { maxCellBytes } from '../../../contract/limits.ts'
import { problem } from '../../../contract/problems.ts'
import { maxCsvRowBytes } from '../../runner/settings.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'
import { readSeparator } from './csv_copy.ts'

/** Maximum sizes of a row and of a cell, in bytes. */
export interface CsvLimits {
  readonly rowBytes: number
  readonly cellBytes: number
}

const csvLimits: CsvLimits = { rowBytes: maxCsvRowBytes, cellBytes: maxCellBytes }

/**
 * Rejects CSV files with a row that is too long for GDAL, which takes such a row for the end of the file, or with a cell that is
 * larger than all values of a feature may be: GDAL needs a minute for it.
 *
 * @throws {Problem} source/unreadable
 */
export function refuseLongRows({ path, name }: SourceFile, limits = csvLimits): void {
  // Longer files than that are rare.
  if (statSync(path).size <= Math.min(limits.rowBytes, limits.cellBytes)) return
  const fault = findLongRow(path, limits)
  if (fault !== undefined) throw problem('source/unreadable', `${nameSource(name)} cannot be read: ${fault}`)
}

const windowBytes = 1 << 22

/** Describes the first row or cell that is too long. Quoted line ends and separators belong to their cell. */
function findLongRow(path: string, limits: CsvLimits): string | undefined {
  const scan = new CsvScan(limits, readSeparator(path))
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(windowBytes)
    for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes)) {
      const part = scan.add(bytes.subarray(0, read))
      if (part === 'row')
        return `the row at line ${lineAt(file, scan.rowStart)} has more than ${limits.rowBytes} bytes`
      if (part === 'cell')
        return `a cell of the row at line ${lineAt(file, scan.rowStart)} has more than ${limits.cellBytes} bytes`
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

/** Returns the line of an offset in a file. */
function lineAt(file: number, offset: number): number {
  const bytes = Buffer.allocUnsafe(windowBytes)
  let line = 1
  for (let at = 0; at < offset; at += windowBytes) {
    const read = readSync(file, bytes, 0, Math.min(windowBytes, offset - at), at)
    const window = bytes.subarray(0, read)
    for (let end = window.indexOf(lineFeed); end >= 0; end = window.indexOf(lineFeed, end + 1)) line += 1
  }
  return line
}

const [quote, lineFeed, carriageReturn] = [0x22, 0x0a, 0x0d] as const

/** What is too long. */
type LongPart = 'row' | 'cell'

/** Measures rows and cells in windows of a file. */
class CsvScan {
  /** Offset of the last row in the file. */
  rowStart = 0
  #cellStart = 0
  /** Offset of the next window. */
  #end = 0
  #isQuoted = false
  readonly #limits: CsvLimits
  /** The bytes that end a cell: the separator, if there is one, and those that end a row. */
  readonly #ends: readonly number[]

  constructor(limits: CsvLimits, separator: string | undefined) {
    this.#limits = limits
    this.#ends = [...(separator === undefined ? [] : [separator.charCodeAt(0)]), lineFeed, carriageReturn]
  }

  /** Adds a window; tells what is too long. */
  add(bytes: Buffer): LongPart | undefined {
    const isSmall = bytes.length < Math.min(this.#limits.rowBytes, this.#limits.cellBytes)
    const long = isSmall && !bytes.includes(quote) ? this.#addPlain(bytes) : this.#addBytes(bytes)
    this.#end += bytes.length
    return long ?? this.#findLong(this.#end)
  }

  /** Adds a window without quotes in which nothing is too long that begins there. */
  #addPlain(bytes: Buffer): LongPart | undefined {
    if (this.#isQuoted) return undefined
    const places = (list: readonly number[]) => list.filter((at) => at >= 0)
    const firsts = places(this.#ends.map((byte) => bytes.indexOf(byte)))
    if (firsts.length === 0) return undefined
    const rows = places([bytes.indexOf(lineFeed), bytes.indexOf(carriageReturn)])
    const rowEnd = rows.length === 0 ? 0 : Math.min(...rows)
    if (this.#end + rowEnd - this.rowStart > this.#limits.rowBytes) return 'row'
    const long = this.#findLong(this.#end + Math.min(...firsts))
    const lastOf = (ends: readonly number[]) => Math.max(...ends.map((byte) => bytes.lastIndexOf(byte)))
    const lastRow = lastOf([lineFeed, carriageReturn])
    if (long !== undefined) return long
    if (lastRow >= 0) this.rowStart = this.#end + lastRow + 1
    this.#cellStart = this.#end + lastOf(this.#ends) + 1
    return undefined
  }

  #addBytes(bytes: Buffer): LongPart | undefined {
    const isEnd = new Uint8Array(256)
    for (const byte of [quote, ...this.#ends]) isEnd[byte] = 1
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] as number
      if (isEnd[byte] === 0) continue
      const long = this.#addEnd(byte, this.#end + at)
      if (long !== undefined) return long
    }
    return undefined
  }

  /** Adds a quote, or the end of a cell. */
  #addEnd(byte: number, at: number): LongPart | undefined {
    if (byte === quote) this.#isQuoted = !this.#isQuoted
    if (byte === quote || this.#isQuoted) return undefined
    const long = this.#findLong(at)
    if (long !== undefined) return long
    this.#cellStart = at + 1
    if (byte === lineFeed || byte === carriageReturn) this.rowStart = at + 1
    return undefined
  }

  #findLong(end: number): LongPart | undefined {
    if (end - this.rowStart > this.#limits.rowBytes) return 'row'
    return end - this.#cellStart > this.#limits.cellBytes ? 'cell' : undefined
  }
}
