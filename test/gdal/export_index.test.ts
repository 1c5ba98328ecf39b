import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeFlatIndexed } from '../../src/gdal/export_file.ts'
import { noBounds } from '../../src/gdal/export_geometry.ts'
import { FlatItems, orderByPlace } from '../../src/gdal/export_index.ts'
import { copyHeader, copyTrailer } from '../../src/gdal/frame.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-index-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Numbers from 0 to 1, always the same. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

type Place = readonly [x: number, y: number]

/** Lines from a place to another one near it, as rows of a binary copy. */
async function* rowsOf(lines: readonly (readonly [Place, Place])[]): AsyncGenerator<Buffer> {
  yield copyHeader
  for (const [at, line] of lines.entries()) {
    // Count of values, id and its length, length of the line, line.
    const row = Buffer.alloc(2 + 4 + 8 + 4 + 41)
    row.writeInt16BE(2, 0)
    row.writeInt32BE(8, 2)
    row.writeBigInt64BE(BigInt(at), 6)
    row.writeInt32BE(41, 14)
    row[18] = 1
    row.writeUInt32LE(2, 19)
    row.writeUInt32LE(2, 23)
    for (const [nth, number] of line.flat().entries()) row.writeDoubleLE(number, 27 + 8 * nth)
    yield row
  }
  yield copyTrailer
}

async function write(name: string, lines: readonly (readonly [Place, Place])[]): Promise<string> {
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

const random = createRandom(7)
const lines = Array.from({ length: 5000 }, () => {
  const [x, y] = [4e7 * (random() - 0.5), 4e7 * random() ** 3]
  return [[x, y] as const, [x + 1e5 * random(), y - 1e5 * random()] as const] as const
})

describe('the spatial index of a FlatGeobuf file', () => {
  test('lets GDAL find what a scan finds, in every window', async () => {
    const path = await write('many.fgb', lines)
    expect(numbersIn(ask(path)).sort((a, b) => a - b)).toEqual(lines.map((_, at) => at))
    for (let round = 0; round < 12; round += 1) {
      const side = 4e7 * random() ** 4
      const [west, south] = [4e7 * (random() - 0.5), 4e7 * random() ** 3]
      const [east, north] = [west + side, south + side]
      const wanted = lines.flatMap(([[x1, y1], [x2, y2]], at) =>
        x1 <= east && x2 >= west && y2 <= north && y1 >= south ? [at] : [],
      )
      const window = [west, south, east, north].map(String)
      const found = new Set(numbersIn(ask(path, '-spat', ...window)))
      // A line whose box is in the window may pass it by.
      for (const at of found) expect(wanted).toContain(at)
      const inside = wanted.filter((at) => (lines[at]?.[0] ?? [0, 0])[0] >= west && isInside(at, window))
      for (const at of inside) expect(found).toContain(at)
    }
  })

  test('says beforehand how many features there are, and where', async () => {
    const summary = ask(await write('told.fgb', lines.slice(0, 17)), '-so', '-nocount')
    const [, west] = /Extent: \(([-\d.]+)/.exec(ask(join(folder, 'told.fgb'), '-so')) ?? []
    expect(Number(west)).toBeCloseTo(Math.min(...lines.slice(0, 17).map(([[x]]) => x)), 4)
    expect(ask(join(folder, 'told.fgb'), '-so')).toContain('Feature Count: 17')
    expect(summary).not.toContain('ERROR')
  })

  test.each([1, 2, 16, 17, 256, 257])('stands over %i features', async (count) => {
    const path = await write(`count${count}.fgb`, lines.slice(0, count))
    expect(numbersIn(ask(path)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, at) => at),
    )
    expect(numbersIn(ask(path, '-spat', '-9e9', '-9e9', '9e9', '9e9'))).toHaveLength(count)
  })

  test('is of the size that the format asks for', async () => {
    const bytes = await readFile(await write('size.fgb', lines.slice(0, 257)))
    const features = 8 + 4 + bytes.readUInt32LE(8) + 40 * (257 + 17 + 2 + 1)
    let [at, count] = [features, 0]
    for (; at < bytes.length; count += 1) at += 4 + bytes.readUInt32LE(at)
    expect([at, count]).toEqual([bytes.length, 257])
  })
})

test('places that are all the same keep their order', () => {
  const items = new FlatItems()
  const box = noBounds()
  box.set([5, 5, 5, 5])
  for (let at = 0; at < 3000; at += 1) items.add(box, at + 1)
  expect([...orderByPlace(items)]).toEqual(Array.from({ length: 3000 }, (_, at) => at))
})

function isInside(at: number, window: readonly string[]): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = window.map(Number)
  return (lines[at] ?? []).every(([x, y]) => x >= west && x <= east && y >= south && y <= north)
}
