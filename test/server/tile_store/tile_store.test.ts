import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLog } from '../../../src/core/log.ts'
import { openTileStore } from '../../../src/server/tile_store/tile_store.ts'
import { captureLog } from '../../support/log.ts'
import { mountSmallDisk } from '../../support/small_disk.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-tiles-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const open = (limitBytes = 2 ** 20, log = silentLog) => openTileStore({ folder, limitBytes, log })
const named = (key: string, style = 7, zoom = 2) => ({ key, style, zoom })
const data = [{ layer: 7, version: 3, boxes: [[0, 1, 2, 3]] }] as const
const tile = (...bytes: number[]) => ({ tile: { bytes: Uint8Array.from(bytes), isEmpty: false }, data })
const empty = { ...tile(), tile: { bytes: Uint8Array.of(9), isEmpty: true } }

/** Bytes of a file in addition to those of its image. */
const head = 32 + 1 + 4 + JSON.stringify(data).length

async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** Keeps tiles, one after the other, and closes the store. */
async function keepAll(tiles: readonly (readonly [string, ReturnType<typeof tile>])[], limitBytes?: number) {
  for (const [key, image] of tiles) {
    const store = open(limitBytes)
    store.keep(named(key), image)
    await store.close()
  }
}

test('a tile is found under its key, after a restart too', async () => {
  const key = `../${'x'.repeat(10_000)}\0/`
  await keepAll([
    [key, tile(1, 2, 3)],
    ['empty', empty],
  ])
  const store = open()
  expect(await store.find(named(key))).toEqual(tile(1, 2, 3))
  expect(await store.find(named('empty'))).toEqual(empty)
  expect(await store.find(named('other'))).toBeUndefined()
  await store.close()
})

test('a file that was cut off or changed is not read', async () => {
  await keepAll([['a', tile(1, 2, 3)]])
  const [path = ''] = await listFiles()
  const whole = await readFile(path)
  const store = open()
  for (const [at, byte] of whole.entries()) {
    const changed = Uint8Array.from(whole)
    changed[at] = byte ^ 1
    await writeFile(path, changed)
    expect(await store.find(named('a'))).toBeUndefined()
  }
  await writeFile(path, whole)
  expect(await store.find(named('a'))).toEqual(tile(1, 2, 3))
  for (let length = whole.length - 1; length >= 0; length -= 1) {
    await truncate(path, length)
    expect(await store.find(named('a'))).toBeUndefined()
  }
  await store.close()
})

test('a file of another tile is not read', async () => {
  await keepAll([['a', tile(1)]])
  const [first = ''] = await listFiles()
  await keepAll([['b', tile(2)]])
  const second = (await listFiles()).find((path) => path !== first) ?? ''
  await writeFile(second, await readFile(first))
  const store = open()
  expect(await store.find(named('b'))).toBeUndefined()
  await store.close()
})

test('files that were not completed are deleted', async () => {
  await writeFile(join(folder, 'abc.partial'), 'half')
  await keepAll([['a', tile(1)]])
  const files = await listFiles()
  expect(files).toHaveLength(1)
  expect(files[0]).not.toContain('.partial')
})

test('no more than the limit is kept: the oldest tiles go first, and larger ones than the limit are not kept', async () => {
  await keepAll([
    ['a', tile(1)],
    ['b', tile(2)],
    ['large', tile(...Array.from({ length: 9000 }, () => 1))],
  ])
  const [oldest = ''] = await listFiles()
  await utimes(oldest, 0, 0)
  const limitBytes = 2 * 4096
  const store = open(limitBytes)
  await store.counted
  store.keep(named('c'), tile(3))
  store.keep(named('huge'), tile(...Array.from({ length: 9000 }, () => 2)))
  await store.close()
  expect(await listFiles()).toHaveLength(2)
  expect(await listFiles()).not.toContain(oldest)
  expect(await store.find(named('c'))).toEqual(tile(3))
  expect(await store.find(named('large'))).toBeUndefined()
  expect(await store.find(named('huge'))).toBeUndefined()
})

test('a folder that cannot be written is reported once, and nothing fails', async () => {
  await writeFile(join(folder, 'file'), '')
  const { log, written } = captureLog()
  const store = openTileStore({ folder: join(folder, 'file', 'tiles'), limitBytes: 2 ** 20, log })
  store.keep(named('a'), tile(1))
  store.keep(named('b'), tile(2))
  await store.close()
  expect(await store.find(named('a'))).toBeUndefined()
  expect(written.filter((line) => line.includes('the tile cache cannot be written'))).toHaveLength(1)
})

test('on a full disk nothing is kept, which is reported once; it goes on when there is room', async () => {
  const disk = await mountSmallDisk(2 ** 20)
  try {
    const { log, written } = captureLog()
    const openOnDisk = () => openTileStore({ folder: disk.folder, limitBytes: 2 ** 20, log })
    const large = tile(...Array.from({ length: 10_000 }, (_, at) => at % 256))
    await disk.fill()
    const store = openOnDisk()
    store.keep(named('a'), large)
    store.keep(named('b'), large)
    await store.close()
    expect(await store.find(named('a'))).toBeUndefined()
    expect(written.filter((line) => line.includes('ENOSPC'))).toHaveLength(1)
    expect((await readdir(disk.folder)).filter((name) => name.endsWith('.partial'))).toEqual([])
    await disk.free()
    const next = openOnDisk()
    next.keep(named('a'), large)
    await next.close()
    expect(await next.find(named('a'))).toEqual(large)
  } finally {
    await disk.unmount()
  }
})

test('tiles are counted and deleted by style, after a restart too', async () => {
  const files = [
    named('a'),
    named('b'),
    named('c', 7, 11),
    named('d', 77),
    { ...named('e'), style: undefined },
  ]
  const store = open()
  for (const file of files) store.keep(file, tile(1, 2))
  // The same tile is kept once.
  store.keep(named('a'), tile(1, 2))
  await store.close()
  const bytes = head + 2
  const counts = [
    { zoom: 2, tiles: 2, bytes: 2 * bytes },
    { zoom: 11, tiles: 1, bytes },
  ]
  expect(await store.count(7)).toEqual(counts)
  const next = open()
  await next.counted
  expect(await next.count(7)).toEqual(counts)
  expect(await next.count(77)).toEqual([{ zoom: 2, tiles: 1, bytes }])
  expect(await next.count(8)).toEqual([])
  next.purge(7)
  expect(await next.count(7)).toEqual([])
  await next.close()
  expect(await listFiles()).toHaveLength(2)
  expect(await next.find(named('a'))).toBeUndefined()
  expect(await next.find(named('d', 77))).toEqual(tile(1, 2))
})

test('evicted tiles are not counted', async () => {
  const store = open(2 * 4096)
  for (const key of ['a', 'b', 'c', 'd']) store.keep(named(key), tile(1))
  await store.close()
  expect(await store.count(7)).toEqual([{ zoom: 2, tiles: 2, bytes: 2 * (head + 1) }])
  expect(await listFiles()).toHaveLength(2)
})

test('folders of former versions are deleted', async () => {
  await mkdir(join(folder, 'a1'))
  await writeFile(join(folder, 'a1', 'a1'.repeat(32)), 'old')
  await writeFile(join(folder, 'notes.txt'), 'of somebody else')
  await keepAll([['a', tile(1)]])
  expect((await listFiles()).map((path) => path.split('/').at(-4) ?? '').sort()).not.toContain('a1')
  expect(await listFiles()).toHaveLength(2)
})
