import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listArchive, unpackArchive } from '../../src/files/archive.ts'
import { makeZip, type ZipEntry } from '../support/zip.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-archive-'))
})

afterEach(() => rm(folder, { recursive: true, force: true }))

async function unpack(content: Uint8Array, limitBytes = 1 << 30): Promise<string[]> {
  const path = join(folder, 'archive.zip')
  await writeFile(path, content)
  return unpackArchive(path, { folder: join(folder, 'out'), limitBytes })
}

async function listUnpacked(): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.startsWith('out/'))
}

test('unpacks files and their folders', async () => {
  const paths = await unpack(
    makeZip([
      { name: 'data/', content: '' },
      { name: 'data/roads.shp', content: 'shape' },
      { name: 'дороги.dbf', content: '' },
    ]),
  )
  expect(paths.map((path) => path.slice(folder.length))).toEqual(['/out/data/roads.shp', '/out/дороги.dbf'])
  expect(await readFile(join(folder, 'out/data/roads.shp'), 'utf8')).toBe('shape')
})

test('lists the files without unpacking them', async () => {
  await writeFile(join(folder, 'a.zip'), makeZip([{ name: 'xl/workbook.xml', content: '<x/>' }]))
  expect(await listArchive(join(folder, 'a.zip'), 100)).toEqual(['xl/workbook.xml'])
  expect(await readdir(folder)).toEqual(['a.zip'])
})

describe('refuses, before unpacking,', () => {
  const good: ZipEntry = { name: 'good.csv', content: 'a' }
  test.each<[string, string, ZipEntry]>([
    ['a name that leaves the folder', 'relative path', { name: '../../etc/passwd', content: 'x' }],
    ['a name that leaves the folder temporarily', 'relative path', { name: 'a/../../b', content: 'x' }],
    ['an absolute name', 'absolute path', { name: '/etc/passwd', content: 'x' }],
    ['a drive letter', 'absolute path', { name: 'C:/x', content: 'x' }],
    ['a name with backslashes that leaves the folder', 'relative path', { name: '..\\..\\x', content: 'x' }],
    ['a name with control characters', 'control characters', { name: 'a\nb', content: 'x' }],
    ['a link', 'is a link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }],
    ['more bytes than the limit', 'more than', { name: 'big', content: 'x', claimedSize: 0x7fffffff }],
  ])('%s', async (_, reason, entry) => {
    const refusal = expect(unpack(makeZip([good, entry]), 1 << 20)).rejects
    await refusal.toMatchObject({ code: 'source/unreadable', message: expect.stringContaining(reason) })
    expect(await listUnpacked()).toEqual([])
  })

  test('a zip bomb, with an excessive compression ratio', async () => {
    const bomb = makeZip([{ name: 'zeros', content: Buffer.alloc(80 << 20) }])
    expect(bomb.length).toBeLessThan(1 << 20)
    await expect(unpack(bomb)).rejects.toMatchObject({ code: 'source/unreadable' })
    expect(await listUnpacked()).toEqual([])
  })

  test('a zip bomb beside a file that cannot be compressed', async () => {
    const [zeros, noise] = [Buffer.alloc(80 << 20), randomBytes(1 << 20)]
    const archive = makeZip([good, { name: 'noise', content: noise }, { name: 'zeros', content: zeros }])
    expect(archive.length).toBeGreaterThan((80 << 20) / 200)
    await expect(unpack(archive)).rejects.toMatchObject({
      message: expect.stringContaining('"zeros" unpacks to'),
    })
    expect(await listUnpacked()).toEqual([])
  })

  test('names that the caller does not accept, and a name twice', async () => {
    const refused = new Error('no data')
    const checkNames = (names: readonly string[]) => {
      expect(names).toEqual(['good.csv', 'b'])
      throw refused
    }
    const path = join(folder, 'archive.zip')
    await writeFile(path, makeZip([good, { name: 'b', content: 'x' }]))
    const limits = { folder: join(folder, 'out'), limitBytes: 1 << 20, checkNames }
    await expect(unpackArchive(path, limits)).rejects.toThrow('no data')
    await expect(unpack(makeZip([good, good]))).rejects.toThrow('it contains "good.csv" twice')
    expect(await listUnpacked()).toEqual([])
  })
})

test('stops at a file larger than declared', async () => {
  const archive = makeZip([{ name: 'zeros', content: Buffer.alloc(1 << 20), claimedSize: 10 }])
  await expect(unpack(archive)).rejects.toMatchObject({ code: 'source/unreadable' })
})

test('refuses a file that is not an archive, and a truncated archive', async () => {
  await expect(unpack(Buffer.from('PK\u0003\u0004 and no more'))).rejects.toMatchObject({
    code: 'source/unreadable',
  })
  const complete = makeZip([{ name: 'a', content: 'some text' }])
  await expect(unpack(complete.subarray(0, complete.length - 4))).rejects.toMatchObject({
    code: 'source/unreadable',
  })
})

test('refuses an archive with too many files', async () => {
  const many = makeZip(Array.from({ length: 10_001 }, (_, index) => ({ name: `${index}`, content: '' })))
  await expect(unpack(many)).rejects.toMatchObject({ message: expect.stringContaining('10000 files') })
})
