import { resolve } from 'node:path'
import type { Issue } from '../core/issue.ts'
import { decodeText } from './decode_text.ts'
import { listFilePaths } from './value_expression.ts'
import { readBytes } from './yaml_files.ts'

/** A file named by an expression: its text, or the reason why it cannot be read. */
export type Included =
  | { readonly path: string; readonly text: string }
  | { readonly code: Issue['code']; readonly message: string; readonly hint?: string }

/** Files by path as written in expressions. */
export type Includes = ReadonlyMap<string, Included>

/** Reads the files named by the expressions of a text, relative to a folder; failures are returned, not thrown. */
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
    if (code !== 'ENOENT') return { code: 'file/unreadable', message: `cannot read ${name}: ${message}` }
    const hint = 'write the path relative to the folder of the manifest'
    return { code: 'file/not-found', message: `file ${name} does not exist`, hint }
  }
}
