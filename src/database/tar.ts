import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { gunzipSync } from 'node:zlib'

const blockBytes = 512

/** One entry of a tar file; a folder has no content. */
interface Entry {
  readonly name: string
  readonly content: Uint8Array | undefined
}

/** Writes the files of a compressed tar file into a folder, readable by their owner only. @see POSIX pax, "ustar Interchange Format" */
export async function unpackTar(compressed: Uint8Array, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const { name, content } of listEntries(gunzipSync(compressed))) {
    const path = join(folder, normalize(`/${name}`))
    if (content === undefined) await mkdir(path, { recursive: true, mode: 0o700 })
    else {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(path, content, { mode: 0o600 })
    }
  }
  // PostgreSQL refuses a data folder that others may read.
  await chmod(folder, 0o700)
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
    yield { name, content: isFolder ? undefined : tar.subarray(start, start + sizeBytes) }
    at = start + Math.ceil(sizeBytes / blockBytes) * blockBytes
  }
}

function readText(bytes: Uint8Array, start: number, length: number): string {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8')
}
