import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Type of a directory entry. */
export type FileKind = 'file' | 'folder' | 'other' | 'absent'

/** Finds the kind of a path, following symbolic links. Throws the errors of `stat` other than absence. */
export async function findFileKind(path: string): Promise<FileKind> {
  try {
    const found = await stat(path)
    if (found.isFile()) return 'file'
    return found.isDirectory() ? 'folder' : 'other'
  } catch (error) {
    if (isAbsence(error)) return 'absent'
    throw error
  }
}

/** Reads an entire file. */
export function readBytes(path: string): Promise<Buffer> {
  return readFile(path)
}

/**
 * Lists the YAML files of a folder recursively, in no particular order. Skips node_modules and names that start with a
 * dot.
 */
export async function listYamlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const lists = entries.map((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return isSearched(entry.name) ? listYamlFiles(path) : []
    return /\.ya?ml$/i.test(entry.name) && !entry.name.startsWith('.') ? [path] : []
  })
  return (await Promise.all(lists)).flat()
}

function isSearched(name: string): boolean {
  return !name.startsWith('.') && name !== 'node_modules'
}

function isAbsence(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOENT' || code === 'ENOTDIR'
}
