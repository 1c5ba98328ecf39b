import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Keeps a file that is made once. Several processes may make it at once: each under a name of its own, and the last one stays. */
export async function keepInCache(path: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const fresh = `${path}.${randomUUID()}`
  await writeFile(fresh, content)
  await rename(fresh, path)
}
