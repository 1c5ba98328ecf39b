import { extname, resolve } from 'node:path'
import { sourceFormatOf } from '../contract/formats/source_formats.ts'
import type { Issue } from '../core/issue.ts'
import { type FileKind, findFileKind } from '../document/yaml_files.ts'
import { findMissingParts } from '../files/source_parts.ts'
import type { DataMode, WantedData } from './manifest.ts'
import { type Block, blockIssue } from './manifest_block.ts'
import { showAt } from './resolve_source.ts'

interface DataBlock extends Readonly<Record<string, unknown>> {
  readonly source: string
  readonly mode?: DataMode
  readonly key?: string | readonly string[]
  readonly allow_loss?: boolean
}

/** Splits `data:` of a block into source and options; the path is relative to the folder of the file. */
export function resolveData(folder: string, value: unknown): WantedData {
  const { source, mode, key, allow_loss: allowLoss, ...options } = value as DataBlock
  return {
    source,
    path: resolve(folder, source),
    options,
    ...(mode === undefined ? {} : { mode }),
    ...(key === undefined ? {} : { featureKey: [key].flat() }),
    ...(allowLoss === undefined ? {} : { allowLoss }),
  }
}

/** The data source of a block. */
export interface DataFile {
  readonly block: Block
  readonly path: string
  /** Whether the source is a URL instead of a path. */
  readonly isUrl: boolean
}

/** Lists the data source of a block: one or none. */
export function listDataFiles(block: Block): DataFile[] {
  const { source } = (block.value.data ?? {}) as { readonly source?: unknown }
  const isUnresolved = block.source.unresolved.has(`${block.pointer}/data/source`)
  if (typeof source !== 'string' || source === '' || isUnresolved) return []
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(source)
  return [{ block, path: resolve(block.source.folder, source), isUrl }]
}

/** Checks that the data sources exist and are files. */
export async function checkDataFiles(files: readonly DataFile[]): Promise<Issue[]> {
  return (await Promise.all(files.map(checkDataFile))).flat()
}

async function checkDataFile({ block, path, isUrl }: DataFile): Promise<Issue[]> {
  const fault = isUrl ? urlFault : ((await findFileFault(path)) ?? (await findPartsFault(path)))
  if (fault === undefined) return []
  const pointer = '/data/source'
  const message = `${showAt(block.source, block.pointer + pointer)} ${fault.message}`
  return [blockIssue(block, { ...fault, pointer, message })]
}

/** Fault of a file that a manifest names. */
export interface FileFault {
  readonly code: 'file/not-found' | 'file/unreadable' | 'manifest/bad-value'
  readonly message: string
  readonly hint: string
}

/** Finds the companion files that a source lacks, such as the `.dbf` of a `.shp`. */
async function findPartsFault(path: string): Promise<FileFault | undefined> {
  const missing = await findMissingParts(path)
  if (missing.length === 0) return undefined
  const { title } = sourceFormatOf(extname(path)) ?? {}
  return {
    code: 'file/not-found',
    message: `is part of a ${title}, and its ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`,
    hint: `put ${missing.length > 1 ? 'them' : 'it'} next to the ${extname(path)} file`,
  }
}

const urlFault: FileFault = {
  code: 'manifest/bad-value',
  message: 'is a URL, but data: supports only files',
  hint: 'download it, and set the path of the file',
}

const faults: Readonly<Record<Exclude<FileKind, 'file'>, FileFault>> = {
  absent: {
    code: 'file/not-found',
    message: 'does not exist',
    hint: 'the path is relative to the folder of the manifest',
  },
  folder: {
    code: 'file/unreadable',
    message: 'is a folder',
    hint: 'use a file; put the files of one source into a ZIP archive',
  },
  other: { code: 'file/unreadable', message: 'is not a regular file', hint: 'use a regular file' },
}

/** Finds the reason why a path is not a readable file. */
export async function findFileFault(path: string): Promise<FileFault | undefined> {
  try {
    const kind = await findFileKind(path)
    return kind === 'file' ? undefined : faults[kind]
  } catch (error) {
    return unreadable(error)
  }
}

/** Returns the fault of a file that the operating system does not read. */
export function unreadable(error: unknown): FileFault {
  const message = error instanceof Error ? error.message : String(error)
  return {
    code: 'file/unreadable',
    message: `cannot be read: ${message}`,
    hint: 'check the permissions of the file',
  }
}
