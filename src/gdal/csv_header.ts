import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { problem } from '../contract/problems.ts'

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
 * @throws {Problem} files/full
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
    writeSync(copy, header)
    let at = from
    for (;;) {
      const read = readSync(source, bytes, 0, bytes.length, at)
      if (read === 0) return
      for (let done = 0; done < read; ) done += writeSync(copy, bytes, done, read - done)
      at += read
    }
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC'
    throw isFull ? problem('files/full', 'the disk is full while a source is read') : error
  } finally {
    closeSync(copy)
  }
}
