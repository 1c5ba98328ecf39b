import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatCsvRow, gatherText } from '../../src/pipeline/csv.ts'
import type { CsvOptions } from '../../src/pipeline/pipeline_schema.ts'
import { openCsv } from '../../src/pipeline/readers/csv.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-csv-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(text: string | Uint8Array, csv?: CsvOptions, encoding?: string) {
  const path = join(folder, 'table.csv')
  await writeFile(path, text)
  const table = await openCsv(path, { csv, encoding })
  return { columns: table.columns, rows: await Array.fromAsync(table.rows) }
}

describe('openCsv', () => {
  it('reads column names from the first line, and counts lines across quoted line breaks', async () => {
    expect(await read('\uFEFFa,b\r\n1,"x\n""y"""\r\n2,z\r\n')).toEqual({
      columns: ['a', 'b'],
      rows: [
        { line: 3, cells: ['1', 'x\n"y"'] },
        { line: 4, cells: ['2', 'z'] },
      ],
    })
  })

  it('reads tables without a header, and with quotes as part of values', async () => {
    expect(await read('1\t"x\n2\ty"\n', { separator: '\t', quote: null, columns: ['a', 'b'] })).toEqual({
      columns: ['a', 'b'],
      rows: [
        { line: 1, cells: ['1', '"x'] },
        { line: 2, cells: ['2', 'y"'] },
      ],
    })
  })

  it('yields rows with a wrong number of columns, which a check rejects', async () => {
    expect((await read('a,b\n1\n1,2,3\n')).rows.map(({ cells }) => cells.length)).toEqual([1, 3])
  })

  it('marks the rows of a file with invalid bytes, but not those with U+FFFD in valid text', async () => {
    const latin = Buffer.from('a,b\nZürich,1\n', 'latin1')
    expect((await read(latin)).rows).toEqual([
      { line: 2, cells: ['Z\uFFFDrich', '1'], damagedEncoding: 'UTF-8' },
    ])
    expect((await read('a,b\nZ\uFFFDrich,1\n')).rows).toEqual([{ line: 2, cells: ['Z\uFFFDrich', '1'] }])
    const truncated = Buffer.from('a,b\n1,ü').subarray(0, -1)
    expect((await read(truncated)).rows).toMatchObject([{ damagedEncoding: 'UTF-8' }])
  })

  it('reads another encoding, unless the file can only be UTF-8', async () => {
    const page = Buffer.from([0x61, 0x0a, 0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0, 0x0a])
    expect((await read(page, {}, 'CP1251')).rows).toEqual([{ line: 2, cells: ['Москва'] }])
    expect((await read(Buffer.from('\uFEFFa\nМосква\n'), {}, 'CP1251')).rows).toEqual([
      { line: 2, cells: ['Москва'] },
    ])
    await expect(read('a\nМосква\n', {}, 'CP1251')).rejects.toMatchObject({ code: 'source/unreadable' })
    await expect(read('a\nb\n', {}, 'latin-99')).rejects.toMatchObject({ code: 'usage/bad-argument' })
  })

  it('refuses a header with invalid bytes', async () => {
    await expect(read(Buffer.from('a,größe\n1,2\n', 'latin1'))).rejects.toMatchObject({
      code: 'source/unreadable',
      hint: expect.stringContaining('from.encoding'),
    })
  })

  it('reads files with several kinds of line ends', async () => {
    const { rows } = await read('a,b\r\n1,2\n3,"x\ny"\r\n5,6\r7,8')
    expect(rows).toEqual([
      { line: 2, cells: ['1', '2'] },
      { line: 4, cells: ['3', 'x\ny'] },
      { line: 5, cells: ['5', '6'] },
      { line: 6, cells: ['7', '8'] },
    ])
  })

  it('names the line of an unclosed quote, however slowly rows are read', async () => {
    const path = join(folder, 'slow.csv')
    await writeFile(path, `a\n${'1\n'.repeat(10)}"x\n2\n`)
    const { rows } = await openCsv(path)
    const readSlowly = async () => {
      for await (const _ of rows) await setImmediate()
    }
    await expect(readSlowly()).rejects.toThrow('the row that begins in line 12 has an unclosed quote')
  })

  it('refuses an empty file and unclosed quotes', async () => {
    await expect(read('')).rejects.toMatchObject({ code: 'source/unreadable' })
    await expect(read('a\n1\n"x\n2\n')).rejects.toMatchObject({
      code: 'source/unreadable',
      message: expect.stringContaining('the row that begins in line 3 has an unclosed quote'),
    })
  })
})

describe('formatCsvRow', () => {
  it('writes rows that openCsv reads unchanged', async () => {
    const row = ['plain', 'com,ma', 'quo"te', 'line\nbreak', '', 'Ünï']
    const { rows } = await read(formatCsvRow(row.map((_, i) => `c${i}`)) + formatCsvRow(row))
    expect(rows[0]?.cells).toEqual(row)
  })
})

describe('gatherText', () => {
  it('joins strings into large chunks without loss', async () => {
    async function* pieces() {
      for (let i = 0; i < 3000; i += 1) yield `${'x'.repeat(200)}${i}\n`
    }
    const chunks = await Array.fromAsync(gatherText(pieces()))
    expect(chunks.length).toBeLessThan(5)
    expect(Buffer.concat(chunks).toString()).toBe((await Array.fromAsync(pieces())).join(''))
  })
})
