import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uploadHours } from '../contract/bodies/tus.ts'

/** Stores unfinished uploads, so that another run can resume them. */
export interface UploadMemory {
  /** Finds the upload of files that have not changed since. */
  find(server: string, paths: readonly string[]): Promise<string | undefined>
  keep(server: string, paths: readonly string[], uid: string): Promise<void>
}

/**
 * Stores uploads in a folder, which is created when needed. Entries expire with the uploads on the server. If the folder
 * is not accessible, nothing is stored, because an upload must not fail for that.
 */
export function openUploadMemory(folder: string): UploadMemory {
  return {
    async find(server, paths) {
      try {
        const { uid } = JSON.parse(await readFile(join(folder, await nameOf(server, paths)), 'utf8')) as {
          uid?: unknown
        }
        return typeof uid === 'string' ? uid : undefined
      } catch {
        return undefined
      }
    },
    async keep(server, paths, uid) {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await removeExpired(folder)
        await writeFile(join(folder, await nameOf(server, paths)), JSON.stringify({ uid }), { mode: 0o600 })
      } catch {
        // The upload goes on without the entry.
      }
    },
  }
}

/** Returns a file name derived from the server and from identity, size and times of the files. */
async function nameOf(server: string, paths: readonly string[]): Promise<string> {
  const found = await Promise.all(paths.map((path) => stat(path)))
  const files = found.map(({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs])
  const key = JSON.stringify([server, files])
  return `${createHash('sha256').update(key).digest('hex')}.json`
}

async function removeExpired(folder: string): Promise<void> {
  const oldest = Date.now() - uploadHours * 3_600_000
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.endsWith('.json') && (await stat(path)).mtimeMs < oldest) await rm(path, { force: true })
  }
}
