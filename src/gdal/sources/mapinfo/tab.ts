import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { problem } from '../../../contract/problems.ts'
import { countOf } from '../../../core/count.ts'
import type { SourceFile } from '../source.ts'
import { nameSource } from '../source_name.ts'

/** Tells of the text of a MapInfo table whether it is one of files of its own: others have their rows elsewhere. */
export function isNative(text: string): boolean {
  return /^\s*Type\s+NATIVE\b/im.test(text)
}

/** Tells of the text of a MapInfo table whether it is only a list of others, which may be anywhere. */
export function isSeamless(text: string): boolean {
  return /"\s*\\?IsSeamless"\s*=\s*"TRUE"/i.test(text)
}

const deletedMark = 0x2a
const windowBytes = 1 << 20

/**
 * Counts the rows of a MapInfo table: GDAL gives no more than it finds geometries for, and says nothing of the others.
 *
 * @throws {Problem} source/unreadable where the table or its index ends early
 */
export function countRows({ path, name }: SourceFile): number {
  const stem = path.slice(0, -'.tab'.length)
  const table = openSync(`${stem}.dat`, 'r')
  try {
    const head = Buffer.alloc(32)
    readSync(table, head, 0, head.length, 0)
    const [rows, start, size] = [head.readUInt32LE(4), head.readUInt16LE(8), head.readUInt16LE(10)]
    if (size === 0) throw problem('source/unreadable', `the .dat file of ${nameSource(name)} cannot be read`)
    const found = Math.floor((statSync(`${stem}.dat`).size - start) / size)
    const indexed = Math.floor(statSync(`${stem}.id`).size / 4)
    const least = Math.min(found, indexed)
    if (least < rows) {
      throw problem(
        'source/unreadable',
        `${nameSource(name)} breaks off: ${Math.max(least, 0)} of ${countOf(rows, 'feature')} can be read`,
      )
    }
    return rows - countDeleted(table, { rows, start, size })
  } finally {
    closeSync(table)
  }
}

interface Layout {
  readonly rows: number
  /** Where the first row stands, and bytes of each. */
  readonly start: number
  readonly size: number
}

function countDeleted(table: number, { rows, start, size }: Layout): number {
  const perWindow = Math.max(1, Math.floor(windowBytes / size))
  const window = Buffer.alloc(perWindow * size)
  let count = 0
  for (let row = 0; row < rows; row += perWindow) {
    const length = Math.min(perWindow, rows - row) * size
    const read = readSync(table, window, 0, length, start + row * size)
    for (let at = 0; at < read; at += size) if (window[at] === deletedMark) count += 1
  }
  return count
}
