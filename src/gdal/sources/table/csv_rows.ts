import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { problem } from '../../../contract/problems.ts'
import { maxCsvRowBytes } from '../../runner/settings.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'

const windowBytes = 1 << 22
const quote = 0x22
const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/**
 * Rejects CSV files with a row that is too long for GDAL, which takes such a row for the end of the file.
 *
 * @throws {Problem} source/unreadable
 */
export function refuseLongRows({ path, name }: SourceFile, maxBytes = maxCsvRowBytes): void {
  // Longer files than that are rare.
  if (statSync(path).size <= maxBytes) return
  const line = findLongRow(path, maxBytes)
  if (line === undefined) return
  const text = `${nameSource(name)} cannot be read: the row at line ${line} has more than ${maxBytes} bytes`
  throw problem('source/unreadable', text)
}

/** Returns the line at which the first row of more than `maxBytes` starts. Quoted line ends belong to their cell. */
function findLongRow(path: string, maxBytes: number): number | undefined {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.allocUnsafe(windowBytes)
    const row: Row = { isQuoted: false, sizeBytes: 0, line: 1, nextLine: 1 }
    for (;;) {
      const read = readSync(file, bytes)
      if (read === 0) return undefined
      if (isTooLong(row, bytes.subarray(0, read), maxBytes)) return row.line
    }
  } finally {
    closeSync(file)
  }
}

/** The row that is read. */
interface Row {
  isQuoted: boolean
  sizeBytes: number
  /** Line at which it starts. */
  line: number
  nextLine: number
}

/** Adds bytes to a row and the rows after it, up to the first that is too long. */
function isTooLong(row: Row, bytes: Uint8Array, maxBytes: number): boolean {
  for (const byte of bytes) {
    if (byte === quote) row.isQuoted = !row.isQuoted
    if (byte === lineFeed) row.nextLine += 1
    const isEnd = !row.isQuoted && (byte === lineFeed || byte === carriageReturn)
    row.sizeBytes = isEnd ? 0 : row.sizeBytes + 1
    if (isEnd) row.line = row.nextLine
    if (row.sizeBytes > maxBytes) return true
  }
  return false
}
