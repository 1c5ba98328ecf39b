import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { gatherCompanions } from '../companions.ts'
import { openWithGdal, unreadable } from '../open_with_gdal.ts'
import type { SourceFile } from '../source.ts'
import { defineSource } from '../source_format.ts'

/** MapInfo table. @see https://gdal.org/drivers/vector/mitab.html */
export const mapinfoTable = defineSource('MapInfoTable', {
  async open(given, { gdal }) {
    const text = readFileSync(given.path, 'latin1')
    if (/"\s*\\?IsSeamless"\s*=\s*"TRUE"/i.test(text)) throw unreadable(given, 'it refers to other files')
    // Other types store their rows in other formats, which their drivers check.
    if (!/^\s*Type\s+NATIVE\b/im.test(text)) return openWithGdal(gdal, given, ['MapInfo File'])
    const file = gatherCompanions(given, 'MapInfoTable')
    const total = countRows(file)
    const layers = await openWithGdal(gdal, file, ['MapInfo File'])
    return layers.map((layer) => ({ ...layer, check: { total } }))
  },
})

const deletedMark = 0x2a
const windowRows = 256

/**
 * Counts the rows of a table, since GDAL silently drops rows without an entry in the index.
 *
 * @throws {Problem} source/unreadable if the table or its index is truncated
 */
function countRows(source: SourceFile): number {
  const stem = source.path.slice(0, -'.tab'.length)
  const table = openSync(`${stem}.dat`, 'r')
  try {
    const head = Buffer.alloc(32)
    readSync(table, head, 0, head.length, 0)
    const [rows, start, size] = [head.readUInt32LE(4), head.readUInt16LE(8), head.readUInt16LE(10)]
    if (size === 0) throw unreadable(source, 'its .dat file has no columns')
    const found = Math.floor((statSync(`${stem}.dat`).size - start) / size)
    const least = Math.max(0, Math.min(found, Math.floor(statSync(`${stem}.id`).size / 4)))
    if (least < rows) throw unreadable(source, `it is truncated after ${least} of ${rows} features`)
    const window = Buffer.alloc(windowRows * size)
    let count = 0
    for (let row = 0; row < rows; row += 1) {
      const at = row % windowRows
      if (at === 0) readSync(table, window, 0, window.length, start + row * size)
      if (window[at * size] !== deletedMark) count += 1
    }
    return count
  } finally {
    closeSync(table)
  }
}
