import { closeSync, openSync, readSync } from 'node:fs'
import { readStart } from '../file_start.ts'

const windowBytes = 1 << 20
const [lineFeed, recordSeparator, blank] = [0x0a, 0x1e, 0x20]
/** A line that is longer is taken for a whole collection. */
const longestRecord = windowBytes

/**
 * Counts the texts of a sequence of JSON, which stand on a line each, or behind a mark each. GDAL passes over those that
 * it cannot read, such as the last one of a file that breaks off.
 *
 * @see RFC 8142
 */
export function countRecords(path: string): number {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(windowBytes)
    let counting: Counting = { count: 0, isInside: false, separator: undefined }
    for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes)) {
      counting = countOn(counting, bytes.subarray(0, read))
    }
    return counting.count
  } finally {
    closeSync(file)
  }
}

interface Counting {
  readonly count: number
  /** Whether the last text goes on. */
  readonly isInside: boolean
  /** What stands between texts; undefined before the first piece. */
  readonly separator: number | undefined
}

function countOn(
  { count: before, isInside: wasInside, separator: known }: Counting,
  piece: Buffer,
): Counting {
  const separator = known ?? (piece[0] === recordSeparator ? recordSeparator : lineFeed)
  let count = before
  let isInside = wasInside
  for (let at = 0; at < piece.length; at += 1) {
    if (isInside) {
      at = piece.indexOf(separator, at)
      if (at < 0) break
      isInside = false
    } else if ((piece[at] as number) > blank) {
      count += 1
      isInside = true
    }
  }
  return { count, isInside, separator }
}

/** Tells whether a file begins with a whole text of JSON, no collection, on a line: GDAL may take it for all there is. */
export function beginsWithRecord(path: string): boolean {
  const start = readStart(path, longestRecord).toString().trimStart()
  try {
    const first = JSON.parse(start.slice(0, start.indexOf('\n') + 1)) as { type?: unknown } | null
    return first?.type !== 'FeatureCollection'
  } catch {
    return false
  }
}
