import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BlobStore } from '../../src/files/blob_store.ts'
import { openDiskBlobs } from '../../src/files/disk_blobs.ts'

const entry = new URL('../../src/files/disk_blobs.ts', import.meta.url).href

let folder: string
let blobs: BlobStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-blobs-'))
  blobs = await openDiskBlobs({ folder })
})

afterEach(() => rm(folder, { recursive: true, force: true }))

test('stores content under its SHA-256', async () => {
  const blob = await blobs.put(chunks('map', 's'))
  expect(blob).toEqual({ digest: sha256('maps'), sizeBytes: 4 })
  expect(await text(blobs.read(blob.digest))).toBe('maps')
})

test('stores large content in chunks of any size', async () => {
  const parts = Array.from({ length: 90 }, (_, at) => Buffer.alloc((at * 7919) % 120_000, at))
  const content = Buffer.concat(parts)
  const blob = await blobs.put(chunks(...parts))
  const digest = createHash('sha256').update(content).digest('hex')
  expect(blob).toEqual({ digest, sizeBytes: content.length })
  expect(content.equals(Buffer.concat(await Array.fromAsync(blobs.read(digest))))).toBe(true)
})

test('stores empty content', async () => {
  const blob = await blobs.put(chunks())
  expect(await text(blobs.read(blob.digest))).toBe('')
})

test('stores equal content once, and updates its time', async () => {
  const { digest } = await blobs.put(chunks('maps'))
  const path = await blobs.localPath(digest)
  await utimes(path, new Date(0), new Date(0))
  await blobs.put(chunks('ma', 'ps'))
  expect(await listFiles()).toEqual([join(digest.slice(0, 2), digest)])
  expect((await stat(path)).mtimeMs).toBeGreaterThan(0)
})

test('repairs a stored file of a wrong size when its content is stored again', async () => {
  const { digest } = await blobs.put(chunks('maps'))
  await writeFile(await blobs.localPath(digest), 'ma')
  await blobs.put(chunks('maps'))
  expect(await text(blobs.read(digest))).toBe('maps')
})

test('stores equal content that is put concurrently', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => blobs.put(chunks('ma', 'ps'))))
  expect(new Set(all.map(({ digest }) => digest))).toEqual(new Set([sha256('maps')]))
  expect(await listFiles()).toHaveLength(1)
})

test.each([
  [0, 4, 'maps'],
  [1, 3, 'ap'],
  [3, 99, 's'],
  [2, 2, ''],
  [9, 12, ''],
])('reads bytes %i up to %i', async (start, end, expected) => {
  const { digest } = await blobs.put(chunks('maps'))
  expect(await text(blobs.read(digest, { start, end }))).toBe(expected)
})

test.each([['0'.repeat(64)], ['../../etc/passwd'], ['']])(
  'reports the file %j as missing',
  async (digest) => {
    await expect(blobs.localPath(digest)).rejects.toMatchObject({ code: 'files/missing' })
    await expect(text(blobs.read(digest))).rejects.toMatchObject({ code: 'files/missing' })
    await blobs.delete(digest)
  },
)

test('deletes content', async () => {
  const { digest } = await blobs.put(chunks('maps'))
  await blobs.delete(digest)
  await expect(blobs.localPath(digest)).rejects.toMatchObject({ code: 'files/missing' })
  expect(await listFiles()).toEqual([])
})

test('lists stored blobs and no other files', async () => {
  const put = await Promise.all(['a', 'b', 'c'].map((content) => blobs.put(chunks(content))))
  await writeFile(join(folder, 'notes.txt'), 'not a blob')
  const listed = await Array.fromAsync(blobs.list())
  const digests = (all: readonly { digest: string }[]) => all.map(({ digest }) => digest).sort()
  expect(digests(listed)).toEqual(digests(put))
  expect(listed.every(({ modifiedAt }) => modifiedAt instanceof Date)).toBe(true)
})

test('refuses content past the limit and leaves nothing behind', async () => {
  await expect(blobs.put(chunks('maps', 'more'), { limitBytes: 7 })).rejects.toMatchObject({
    code: 'request/too-large',
  })
  expect(await listFiles()).toEqual([])
})

test('accepts content of exactly the limit', async () => {
  expect(await blobs.put(chunks('maps'), { limitBytes: 4 })).toMatchObject({ sizeBytes: 4 })
})

test('leaves nothing behind if the content fails, and rethrows its error', async () => {
  const fault = new Error('the client went away')
  await expect(
    blobs.put(
      (async function* () {
        yield Buffer.from('half')
        throw fault
      })(),
    ),
  ).rejects.toBe(fault)
  expect(await listFiles()).toEqual([])
})

describe('opening', () => {
  test('removes partial files of killed processes, and keeps those of running ones', async () => {
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `const { openDiskBlobs } = await import(${JSON.stringify(entry)})
         const blobs = await openDiskBlobs({ folder: ${JSON.stringify(folder)} })
         await blobs.put((async function* () { yield Buffer.from('half'); console.log('half'); await new Promise(() => setInterval(() => {}, 1e6)) })())`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    await openDiskBlobs({ folder })
    expect(await listFiles()).toHaveLength(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await openDiskBlobs({ folder })
    expect(await listFiles()).toEqual([])
  })

  test('keeps partial files of other machines until they are a day old', async () => {
    await mkdir(join(folder, 'incoming'), { recursive: true })
    const [recent, old] = ['elsewhere.1.0.a', 'elsewhere.1.0.b'].map((name) => join(folder, 'incoming', name))
    await writeFile(recent as string, '')
    await writeFile(old as string, '')
    await utimes(old as string, new Date(0), new Date(0))
    await openDiskBlobs({ folder })
    expect(await listFiles()).toEqual(['incoming/elsewhere.1.0.a'])
  })
})

test('reports a full disk, leaves nothing behind, and stores again when there is space', async () => {
  // A small disk in a separate mount namespace, which an unprivileged user can create too.
  const script = `
    const { openDiskBlobs } = await import(${JSON.stringify(entry)})
    const { readdir } = await import('node:fs/promises')
    const folder = ${JSON.stringify(folder)}
    const blobs = await openDiskBlobs({ folder })
    const half = Buffer.alloc(150_000, 1)
    const put = (...parts) => blobs.put((async function* () { yield* parts })())
    const many = Array.from({ length: 40 }, (_, at) => Buffer.alloc(100_000, at))
    const refused = [
      await put(half, Buffer.alloc(200_000, 2)).catch((error) => error.code),
      await put(...many).catch((error) => error.code),
    ]
    const left = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())
    console.log(JSON.stringify({ refused, left: left.length, next: (await put(half)).sizeBytes }))`
  const mount = 'mount -t tmpfs -o size=256k small "$1" && exec "$2" --input-type=module --eval "$3"'
  const { stdout } = await promisify(execFile)('unshare', [
    ...['--mount', '--map-root-user', 'sh', '-c', mount, 'sh'],
    ...[folder, process.execPath, script],
  ])
  expect(JSON.parse(stdout)).toEqual({ refused: ['files/full', 'files/full'], left: 0, next: 150_000 })
})

async function* chunks(...parts: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
}

async function text(content: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(content)).toString()
}

function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex')
}

async function listFiles(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}
