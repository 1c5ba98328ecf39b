import { resolve } from 'node:path'
import type { DataMode, WantedData } from './manifest.ts'
import type { Block } from './manifest_block.ts'

interface DataBlock extends Readonly<Record<string, unknown>> {
  readonly source: string
  readonly mode?: DataMode
  readonly allow_loss?: boolean
}

/** Takes `data:` of a block apart; the source is found from the folder of its file. */
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

/** A file that a block names as the source of its data. */
export interface DataFile {
  readonly block: Block
  readonly path: string
  /** Whether it is an address rather than a path. */
  readonly isUrl: boolean
}

/** Lists the file that a block names in `data:`, if it does. */
export function listDataFiles(block: Block): DataFile[] {
  const { source } = (block.value.data ?? {}) as { readonly source?: unknown }
  if (typeof source !== 'string' || source === '') return []
  const isUrl = /^[a-z][a-z0-9+.-]+:\/\//i.test(source)
  return [{ block, path: resolve(block.source.folder, source), isUrl }]
}
