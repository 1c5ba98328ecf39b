import { resolve } from 'node:path'
import type { DataMode, WantedData } from './manifest.ts'
import type { Block } from './manifest_block.ts'

interface DataBlock extends Readonly<Record<string, unknown>> {
  readonly source: string
  readonly mode?: DataMode
  readonly allow_loss?: boolean
}

/** Splits `data:` of a block into source and options; the path is relative to the folder of the file. */
export function resolveData(folder: string, value: unknown): WantedData {
  const { source, mode, allow_loss: allowLoss, ...options } = value as DataBlock
  return {
    source,
    path: resolve(folder, source),
    options,
    ...(mode === undefined ? {} : { mode }),
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
  if (typeof source !== 'string' || source === '') return []
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(source)
  return [{ block, path: resolve(block.source.folder, source), isUrl }]
}
