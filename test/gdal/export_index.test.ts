import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFlatIndexed } from '../../src/gdal/flatgeobuf/file_writer.ts'
import { FlatItems, sortByHilbert } from '../../src/gdal/flatgeobuf/spatial_index.ts'
import { type Line, lines, rowsOf, windows } from '../support/lines.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-index-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function write(name: string, lines: readonly Line[]): Promise<string> {
  const path = join(folder, name)
  const file = {
    ...{ path, rows: rowsOf(lines), tick: () => undefined, name: 'lines', srs: 3857 },
    geometry: { family: 'LINESTRING', isMulti: false, hasZ: false } as const,
    columns: [{ name: 'n', datatype: 'BIGINT' } as const],
  }
  await writeFlatIndexed(file, `${path}.waiting`)
  return path
}

function ask(path: string, ...options: string[]): string {
  return execFileSync('ogrinfo', ['-ro', '-al', ...options, path], { encoding: 'utf8', maxBuffer: 1 << 28 })
}

const numbersIn = (text: string) => [...text.matchAll(/ n \(Integer64\) = (\d+)/g)].map(([, n]) => Number(n))

describe('the spatial index of a FlatGeobuf file', () => {
  test('finds the same features as a scan in any bounding box', async () => {
    const path = await write('many.fgb', lines)
    expect(numbersIn(ask(path)).sort((a, b) => a - b)).toEqual(lines.map((_, at) => at))
    for (const { window, meets, isInside } of windows(12)) {
      const found = new Set(numbersIn(ask(path, '-spat', ...window.map(String))))
      // A line whose bounding box intersects the window need not intersect it itself.
      for (const at of found) expect(meets).toContain(at)
      for (const at of isInside) expect(found).toContain(at)
    }
  })

  test('is preceded by the number and bounds of the features', async () => {
    const summary = ask(await write('indexed.fgb', lines.slice(0, 17)), '-so', '-nocount')
    const [, west] = /Extent: \(([-\d.]+)/.exec(ask(join(folder, 'indexed.fgb'), '-so')) ?? []
    expect(Number(west)).toBeCloseTo(Math.min(...lines.slice(0, 17).map(([[x]]) => x)), 4)
    expect(ask(join(folder, 'indexed.fgb'), '-so')).toContain('Feature Count: 17')
    expect(summary).not.toContain('ERROR')
  })

  test.each([1, 2, 16, 17, 256, 257])('is valid for %i features', async (count) => {
    const path = await write(`count${count}.fgb`, lines.slice(0, count))
    expect(numbersIn(ask(path)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, at) => at),
    )
    expect(numbersIn(ask(path, '-spat', '-9e9', '-9e9', '9e9', '9e9'))).toHaveLength(count)
  })

  test('has the size that the format requires', async () => {
    const bytes = await readFile(await write('size.fgb', lines.slice(0, 257)))
    const features = 8 + 4 + bytes.readUInt32LE(8) + 40 * (257 + 17 + 2 + 1)
    let [at, count] = [features, 0]
    for (; at < bytes.length; count += 1) at += 4 + bytes.readUInt32LE(at)
    expect([at, count]).toEqual([bytes.length, 257])
  })
})

test('features at the same location keep their order', () => {
  const items = new FlatItems()
  const box = [5, 5, 5, 5] as const
  for (let at = 0; at < 3000; at += 1) items.add({ id: BigInt(at), box, end: at + 1 })
  expect([...sortByHilbert(items)]).toEqual(Array.from({ length: 3000 }, (_, at) => at))
})
