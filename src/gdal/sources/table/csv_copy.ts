import { closeSync, openSync, readSync } from 'node:fs'
import { problem } from '../../../contract/problems.ts'
import { fullWhile } from '../../runner/disk_room.ts'
import { writeAll } from '../../runner/write_all.ts'

/** Name of the column for surplus cells. */
export const surplusColumn = 'landform_surplus'

const separators = [',', ';', '\t', '|'] as const
const maxHeaderBytes = 1 << 20
const windowBytes = 1 << 22

/**
 * Copies a CSV file, and adds a column to its header for surplus cells, which GDAL would silently drop.
 *
 * @returns false if the header has no separators, so that no column can be added
 * @throws {Problem} source/unreadable for an unclosed quote; files/full
 */
export function copyWithSurplus(path: string, target: string): boolean {
  const source = openSync(path, 'r')
  try {
    const { start, end, separator } = readHeader(source)
    if (end === undefined || separator === undefined) return false
    const header = Buffer.concat([start.subarray(0, end), Buffer.from(`${separator}${surplusColumn}`)])
    writeCopy(source, { target, header, from: end })
    return true
  } finally {
    closeSync(source)
  }
}

/** Finds the separator of a CSV file by its header; undefined if it has none. */
export function readSeparator(path: string): string | undefined {
  const source = openSync(path, 'r')
  try {
    return readHeader(source).separator
  } finally {
    closeSync(source)
  }
}

function readHeader(source: number) {
  const bytes = Buffer.alloc(windowBytes)
  const start = bytes.subarray(0, readSync(source, bytes, 0, bytes.length, 0))
  const end = findHeaderEnd(start.subarray(0, maxHeaderBytes))
  const separator = end === undefined ? undefined : findSeparator(start.toString('latin1', 0, end))
  return { start, end, separator }
}

const quote = 0x22
const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/** Finds the end of the first row; quoted line ends belong to their cell. */
function findHeaderEnd(bytes: Buffer): number | undefined {
  let isQuoted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isQuoted = !isQuoted
    else if (!isQuoted && (byte === lineFeed || byte === carriageReturn)) return at
  }
  return undefined
}

/** Finds the most frequent separator outside of quotes. */
function findSeparator(header: string): string | undefined {
  const plain = header.replaceAll(/"[^"]*"/g, '')
  const counts = separators.map((separator) => plain.split(separator).length - 1)
  const most = Math.max(...counts)
  return most === 0 ? undefined : separators[counts.indexOf(most)]
}

/** An unclosed quote makes the rest of the file one cell. */
const openQuote = 'the table cannot be read: it has an unclosed quote'

function countQuotes(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1)) count += 1
  return count
}

interface Copy {
  readonly target: string
  readonly header: Buffer
  /** Offset of the content after the header. */
  readonly from: number
}

function writeCopy(source: number, { target, header, from }: Copy): void {
  const bytes = Buffer.allocUnsafe(windowBytes)
  const copy = openSync(target, 'wx')
  try {
    writeAll(copy, header)
    let at = from
    let quotes = header.filter((byte) => byte === quote).length
    for (;;) {
      const read = readSync(source, bytes, 0, bytes.length, at)
      if (read === 0 && quotes % 2 > 0) throw problem('source/unreadable', openQuote)
      if (read === 0) return
      quotes += countQuotes(bytes.subarray(0, read))
      writeAll(copy, bytes.subarray(0, read))
      at += read
    }
  } catch (error) {
    throw fullWhile('a source is read', error)
  } finally {
    closeSync(copy)
  }
}
