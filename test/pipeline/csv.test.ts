import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatCsvRow, gatherText } from '../../src/pipeline/csv.ts'
import type { CsvOptions } from '../../src/pipeline/pipeline_schema.ts'
import { openCsv } from '../../src/pipeline/readers/csv.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-csv-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(text: string | Uint8Array, options?: CsvOptions) {
  const path = join(folder, 'table.csv')
  await writeFile(path, text)
  const table = await openCsv(path, options)
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
