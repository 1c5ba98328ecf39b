import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ExportOptions, writeVector } from '../../src/gdal/export.ts'
import { findGdalChildren } from '../support/vector.ts'

const point = '0101000000000000000000f03f0000000000000040'
const rowOf = (id: number) => Buffer.from(`${JSON.stringify([id, point, 'x'])}\n`)
const row = rowOf(1)

/** Writes a GeoPackage of the rows that are fed; gives the files that came of it. */
async function write(options: ExportOptions): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'landform-write-'))
  try {
    const results = await writeVector(
      {
        ...{ folder, fileName: 'a.gpkg', driver: 'GPKG', options: [], layerName: 'a', srs: 4326 },
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

test('writes what it is fed, in pieces cut anywhere', async () => {
  const feed: ExportOptions['feed'] = async (give) => {
    await give(Buffer.concat([row, rowOf(2).subarray(0, 7)]))
    await give(rowOf(2).subarray(7))
  }
  expect(await write({ feed })).toEqual(['a.gpkg'])
  expect(findGdalChildren()).toEqual([])
})

test('a feed that fails gives its own error, and no file of the half', async () => {
  const fault = new Error('the database went away')
  const feed: ExportOptions['feed'] = async (give) => {
    await give(row)
    throw fault
  }
  await expect(write({ feed })).rejects.toBe(fault)
  expect(findGdalChildren()).toEqual([])
})

test('a client that goes away ends the process and the feed', async () => {
  const client = new AbortController()
  const reason = new Error('the client went away')
  let ended = ''
  const feed: ExportOptions['feed'] = async (give) => {
    client.abort(reason)
    try {
      for (;;) await give(row)
    } finally {
      ended = 'ended'
    }
  }
  await expect(write({ feed, signal: client.signal })).rejects.toBe(reason)
  expect(ended).toBe('ended')
  expect(findGdalChildren()).toEqual([])
})

test('rows that are none are told', async () => {
  await expect(write({ feed: (give) => give(Buffer.from('{]\n')) })).rejects.toMatchObject({
    code: 'gdal/failed',
  })
})
