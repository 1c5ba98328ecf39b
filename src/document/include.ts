import { resolve } from 'node:path'
import type { Issue } from '../core/issue.ts'
import { decodeText } from './decode.ts'
import { listFilePaths } from './expression.ts'
import { readBytes } from './files.ts'

/** A file that an expression names: its text, or why there is none. */
export type Included =
  | { readonly path: string; readonly text: string }
  | { readonly code: Issue['code']; readonly message: string; readonly hint?: string }

/** Files by their paths as expressions have them. */
export type Includes = ReadonlyMap<string, Included>

/** Reads the files that the expressions of a text name, from a folder; what cannot be read is told, never thrown. */
export async function readIncludes(folder: string, text: string): Promise<Includes> {
  const paths = listFilePaths(text)
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readInclude(folder, path)] as const)),
  )
}

async function readInclude(folder: string, name: string): Promise<Included> {
  const path = resolve(folder, name)
  try {
    const decoded = decodeText(name, await readBytes(path))
    return 'text' in decoded ? { path, text: decoded.text } : decoded.issue
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT') return { code: 'file/unreadable', message: `${name} cannot be read: ${message}` }
    const hint = 'the path starts from the folder of the manifest'
    return { code: 'file/not-found', message: `${name} is not there`, hint }
  }
}
