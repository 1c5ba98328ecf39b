import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { copyHeader, copyTrailer } from '../../src/core/copy_rows.ts'
import { type ExportOptions, writeVector } from '../../src/gdal/export/write_vector.ts'
import { endIdleChildren } from '../../src/gdal/runner/gdal_child.ts'
import { findGdalChildren } from '../support/vector.ts'

// An earlier file of this worker may have left one that waits for its next job.
beforeEach(endIdleChildren)

const point = Buffer.from('0101000000000000000000f03f0000000000000040', 'hex')

/** A row of a binary COPY stream: its values, each after its length. */
function rowOf(id: number): Buffer {
  const idBytes = Buffer.alloc(8)
  idBytes.writeBigInt64BE(BigInt(id))
  const values = [idBytes, point, Buffer.from('x')]
  const lengthOf = (value: Buffer) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32BE(value.length)
    return bytes
  }
  return Buffer.concat([Buffer.of(0, values.length), ...values.flatMap((value) => [lengthOf(value), value])])
}
const row = rowOf(1)

/** Writes a GeoPackage from fed rows; returns the names of the resulting files. */
async function write(options: ExportOptions): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-write-'))
  try {
    const { folder: results } = await writeVector(
      {
        ...{ folder, fileName: 'a.gpkg', format: 'GPKG', encoding: 'UTF-8', layerName: 'a', srs: 4326 },
        geometry: { family: 'POINT', isMulti: false, hasZ: false },
        columns: [{ name: 's', datatype: 'STRING' }],
      },
      options,
    )
    return await readdir(results)
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('writes rows from chunks of any size', async () => {
  const feed: ExportOptions['feed'] = async (give) => {
    const all = Buffer.concat([copyHeader, row, rowOf(2), copyTrailer])
    for (const [start, end] of [
      [0, 5],
      [5, 30],
      [30, 31],
      [31, all.length],
    ])
      await give(all.subarray(start, end))
  }
  expect(await write({ feed })).toEqual(['a.gpkg'])
  expect(findGdalChildren()).toEqual([])
})

test('a failing source of rows rejects with its own error and leaves no partial file', async () => {
  const fault = new Error('the database went away')
  const feed: ExportOptions['feed'] = async (give) => {
    await give(Buffer.concat([copyHeader, row]))
    throw fault
  }
  await expect(write({ feed })).rejects.toBe(fault)
  expect(findGdalChildren()).toEqual([])
})

test('aborting ends the child process and the source of rows', async () => {
  const client = new AbortController()
  const reason = new Error('the client went away')
  let ended = ''
  const feed: ExportOptions['feed'] = async (give) => {
    client.abort(reason)
    try {
      await give(copyHeader)
      for (;;) await give(row)
    } finally {
      ended = 'ended'
    }
  }
  await expect(write({ feed, signal: client.signal })).rejects.toBe(reason)
  expect(ended).toBe('ended')
  expect(findGdalChildren()).toEqual([])
})

test.each([
  ['are invalid', Buffer.from('{]\n'.repeat(20))],
  ['are truncated', Buffer.concat([copyHeader, row])],
  ['have too few values', Buffer.concat([copyHeader, Buffer.of(0, 1, 0, 0, 0, 0), copyTrailer])],
])('rows that %s are reported', async (_, bytes) => {
  await expect(write({ feed: (give) => give(bytes) })).rejects.toMatchObject({ code: 'gdal/failed' })
})
