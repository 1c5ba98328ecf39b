import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxStringBytes } from '../../src/contract/limits.ts'
import { refuseLongRows } from '../../src/gdal/sources/table/csv_size.ts'
import { readFileAs } from '../support/vector.ts'

test('a CSV row of 11 MB is read, and the rows after it', async () => {
  const long = 'x'.repeat(11_000_000)
  const { summary } = await readFileAs('places.csv', `lon,lat,name\n1,2,A\n3,4,${long}\n5,6,C\n`)
  expect(summary).toMatchObject({ rowCount: 3, badCount: 0 })
})

test('a longer string than a field can have, and too long strings together, are reported with their row', async () => {
  const most = 'x'.repeat(maxStringBytes)
  const rows = ['lon,lat,a,b,c,d,e', '1,2,A', `3,4,B,${most}x`, `5,6,C,${most}`]
  const all = `7,8,${most},${most},${most},${most},E`
  const { summary } = await readFileAs('places.csv', [...rows, all].join('\n'), { skipErrors: true })
  expect(summary).toMatchObject({ rowCount: 2, badCount: 2 })
  const more = `more than ${maxStringBytes}`
  expect(summary.bad).toMatchObject([
    { number: 2, reason: `the value of field b has ${maxStringBytes + 1} bytes, ${more}` },
    { number: 4, reason: expect.stringContaining('its values have') },
  ])
})

describe('refuseLongRows', () => {
  let folder: string

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'landform-rows-'))
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const check = (content: string, cellBytes = 10) => {
    const path = join(folder, 'blob')
    writeFileSync(path, content)
    return () => refuseLongRows({ path, name: 'places.csv' }, { rowBytes: 10, cellBytes })
  }

  test('accepts any number of rows of the maximum size', () => {
    expect(check('0123456789\n"12\n4""89"\r\n'.repeat(3))).not.toThrow()
  })

  test('names the line of a longer row, with its quoted line ends', () => {
    expect(check('0123456789\n"12\n4""89"\n"234\n6789"1\n')).toThrow(
      expect.objectContaining({
        code: 'source/unreadable',
        message: '"places.csv" cannot be read: the row at line 4 has more than 10 bytes',
      }),
    )
  })

  test.each([
    ['', 'a;b\n1234;1234\n12345;1\n'],
    [', with separators and line ends in quotes', 'a,b\n"1,",1\n"\n1,2",1\n'],
    [' of a table with one column', 'a\n\n1,2;3\n'],
  ])('names the line of the row of a longer cell%s', (_, content) => {
    expect(check(content, 4)).toThrow(
      '"places.csv" cannot be read: a cell of the row at line 3 has more than 4 bytes',
    )
  })

  test.each([
    ['', ''],
    [', after quotes', '"1,2",3\n'],
  ])('finds longer cells that fill windows of the file%s', (_, before) => {
    const path = join(folder, 'blob')
    const [short, long] = ['1,2\n'.repeat(1_500_000), 'x'.repeat(11_000_000)]
    const refuse = (content: string, limits: { rowBytes: number; cellBytes: number }) => {
      writeFileSync(path, content)
      return () => refuseLongRows({ path, name: 'places.csv' }, limits)
    }
    const content = `a,b\n${before}${short}1,${long}\n${short}`
    const line = (before === '' ? 2 : 3) + 1_500_000
    expect(refuse(content, { rowBytes: 2 ** 30, cellBytes: 10_999_999 })).toThrow(
      `a cell of the row at line ${line} has`,
    )
    expect(refuse(content, { rowBytes: 11_000_001, cellBytes: 2 ** 30 })).toThrow(
      `the row at line ${line} has`,
    )
    expect(refuse(content, { rowBytes: 11_000_002, cellBytes: 11_000_000 })).not.toThrow()
  })
})
