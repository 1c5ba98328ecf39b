import { closeSync, openSync, readSync } from 'node:fs'
import { problem } from '../../../contract/problems.ts'
import { fullWhile } from '../../runner/disk_room.ts'
import { writeAll } from '../../runner/write_all.ts'

/** Name of the column that cells beyond the last one come into. */
export const beyondColumn = 'landform_beyond'

const separators = [',', ';', '\t', '|'] as const
const longestHeader = 1 << 20
const windowBytes = 1 << 22

/**
 * Copies a table of text, with one more column in its header: cells that a row has too many come into it, where GDAL
 * would drop them without a word.
 *
 * @returns whether it could: a header without separators has no room for more
 * @throws {Problem} source/unreadable for a quote that is never closed; files/full
 */
export function copyWithBeyond(path: string, target: string): boolean {
  const source = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(windowBytes)
    const start = bytes.subarray(0, readSync(source, bytes, 0, bytes.length, 0))
    const end = findHeaderEnd(start.subarray(0, longestHeader))
    const separator = end === undefined ? undefined : findSeparator(start.toString('latin1', 0, end))
    if (end === undefined || separator === undefined) return false
    const header = Buffer.concat([start.subarray(0, end), Buffer.from(`${separator}${beyondColumn}`)])
    writeCopy(source, { target, header, from: end })
    return true
  } finally {
    closeSync(source)
  }
}

const quote = 0x22
const [lineFeed, carriageReturn] = [0x0a, 0x0d]

/** Finds where the first row ends; line ends in quotes belong to their cell. */
function findHeaderEnd(bytes: Buffer): number | undefined {
  let isQuoted = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) isQuoted = !isQuoted
    else if (!isQuoted && (byte === lineFeed || byte === carriageReturn)) return at
  }
  return undefined
}

/** The separator that stands most often outside of quotes. */
function findSeparator(header: string): string | undefined {
  const plain = header.replaceAll(/"[^"]*"/g, '')
  const counts = separators.map((separator) => plain.split(separator).length - 1)
  const most = Math.max(...counts)
  return most === 0 ? undefined : separators[counts.indexOf(most)]
}

/** Such a quote takes all the rest of the file for one cell. */
const openQuote = 'the table cannot be read: a quote in it is never closed'

function countQuotes(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(quote); at >= 0; at = bytes.indexOf(quote, at + 1)) count += 1
  return count
}

interface Copy {
  readonly target: string
  readonly header: Buffer
  /** Where what follows the header stands in the source. */
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
