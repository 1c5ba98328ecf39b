import { open } from 'node:fs/promises'

/** Flushes the entries of a folder to disk, so that files that were created or renamed there survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
