import { readdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Issue } from '../core/issue.ts'
import { decodeText } from './decode_text.ts'
import { listFilePaths } from './value_expression.ts'

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

/** Reads an entire file. Throws for pipes and devices: they may never end, or never begin. */
export async function readBytes(path: string): Promise<Buffer> {
  if ((await findFileKind(path)) === 'other') throw new Error('it is a pipe or a device, not a file')
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

/** A file named by an expression: its text, or the reason why it cannot be read. */
type Included =
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

/** Returns whether a file has one key but not the other, which distinguishes pipelines from manifests. */
export function isLabelled(value: unknown, key: string, other: string): boolean {
  return value !== null && typeof value === 'object' && key in value && !(other in value)
}
