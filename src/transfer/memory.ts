import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { uploadHours } from '../contract/tus.ts'

/** Remembers which upload a file was on its way in. */
export interface UploadMemory {
  /** Returns the upload that was made of files that have not changed since. */
  find(server: string, paths: readonly string[]): Promise<string | undefined>
  keep(server: string, paths: readonly string[], uid: string): Promise<void>
}

/**
 * Opens a memory in a folder, which is made when it is needed. It forgets what servers forget. Where the folder cannot be
 * used, nothing is remembered: an upload is not refused for that.
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
        await forgetOld(folder)
        await writeFile(join(folder, await nameOf(server, paths)), JSON.stringify({ uid }), { mode: 0o600 })
      } catch {
        // As said above.
      }
    },
  }
}

/** Another content, or another server, is another upload. */
async function nameOf(server: string, paths: readonly string[]): Promise<string> {
  const found = await Promise.all(paths.map((path) => stat(path)))
  const files = found.map(({ dev, ino, size, mtimeMs, ctimeMs }) => [dev, ino, size, mtimeMs, ctimeMs])
  const facts = JSON.stringify([server, files])
  return `${createHash('sha256').update(facts).digest('hex')}.json`
}

async function forgetOld(folder: string): Promise<void> {
  const oldest = Date.now() - uploadHours * 3_600_000
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (name.endsWith('.json') && (await stat(path)).mtimeMs < oldest) await rm(path, { force: true })
  }
}
