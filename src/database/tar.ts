import { chmod, mkdir, open, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'

const blockBytes = 512

/** Number of files written concurrently, since each waits for the disk. */
const filesAtOnce = 32

/** An entry of a tar file; a folder has no content. */
interface Entry {
  readonly name: string
  readonly content: Uint8Array | undefined
  /** Header and content blocks. */
  readonly blocks: Uint8Array
}

/**
 * Unpacks a compressed tar file into a folder, flushed to disk and readable by the owner only.
 *
 * @see POSIX pax, "ustar Interchange Format"
 */
export async function unpackTar(compressed: Uint8Array, folder: string): Promise<void> {
  const entries = [...listEntries(gunzipSync(compressed))].map((entry) => ({
    ...entry,
    path: join(folder, normalize(`/${entry.name}`)),
  }))
  const folders = new Set([folder])
  for (const { path, content } of entries) folders.add(content === undefined ? path : dirname(path))
  for (const path of folders) await mkdir(path, { recursive: true, mode: 0o700 })
  for (let at = 0; at < entries.length; at += filesAtOnce) {
    await Promise.all(entries.slice(at, at + filesAtOnce).map(writeEntry))
  }
  // PostgreSQL refuses a data folder that is readable by others.
  await chmod(folder, 0o700)
  for (const path of folders) await syncFolder(path)
}

/** Returns a compressed tar file with the entries of another whose names match. */
export function filterTar(compressed: Uint8Array, isIncluded: (name: string) => boolean): Uint8Array {
  const entries = [...listEntries(gunzipSync(compressed))].filter(({ name }) => isIncluded(name))
  const end = Buffer.alloc(2 * blockBytes)
  // Level 1: unpacked at each start, stored once.
  return gzipSync(Buffer.concat([...entries.map(({ blocks }) => blocks), end]), { level: 1 })
}

/** Flushes the entries of a folder to disk. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function writeEntry({
  path,
  content,
}: {
  path: string
  content: Uint8Array | undefined
}): Promise<void> {
  if (content !== undefined) await writeFile(path, content, { mode: 0o600, flush: true })
}

function* listEntries(tar: Uint8Array): Generator<Entry> {
  let at = 0
  while (at + blockBytes <= tar.length && tar[at] !== 0) {
    const text = (start: number, length: number) => readText(tar, at + start, length)
    const sizeBytes = Number.parseInt(text(124, 12), 8) || 0
    const prefix = text(345, 155)
    const name = prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`
    const start = at + blockBytes
    const isFolder = text(156, 1) === '5'
    const end = start + Math.ceil(sizeBytes / blockBytes) * blockBytes
    const content = isFolder ? undefined : tar.subarray(start, start + sizeBytes)
    yield { name, content, blocks: tar.subarray(at, end) }
    at = end
  }
}

function readText(bytes: Uint8Array, start: number, length: number): string {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8')
}
