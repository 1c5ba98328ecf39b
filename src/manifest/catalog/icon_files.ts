import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { catalogLimits } from '../../contract/catalog/catalog.ts'
import { detectIconFormat } from '../../contract/formats/icon_format.ts'
import type { Issue } from '../../core/issue.ts'
import { readBytes } from '../../document/yaml_files.ts'
import { type FileFault, findFileFault, unreadable } from '../data_files.ts'
import type { WantedImage } from '../manifest.ts'
import { blockIssue } from '../manifest_block.ts'
import { showAt } from '../resolve_source.ts'
import type { RecordBlock } from './record_block.ts'

const pointer = '/image'

/** Returns the image of an icon; the path is relative to the folder of the file. */
export function resolveImage({ source: { folder }, value }: RecordBlock): WantedImage {
  const source = String(value.image)
  return { source, path: resolve(folder, source) }
}

/** Checks that the images of icons are files that the catalog accepts. */
export async function checkIconFiles(blocks: readonly RecordBlock[]): Promise<Issue[]> {
  const icons = blocks.filter(
    ({ source, pointer: base, value }) =>
      typeof value.image === 'string' && value.image !== '' && !source.unresolved.has(base + pointer),
  )
  return (await Promise.all(icons.map(checkIconFile))).flat()
}

async function checkIconFile(block: RecordBlock): Promise<Issue[]> {
  const { path } = resolveImage(block)
  const fileFault = await findFileFault(path)
  const isFolder = fileFault?.message === 'is a folder'
  const fault = isFolder ? { ...fileFault, hint } : (fileFault ?? (await findImageFault(path)))
  if (fault === undefined) return []
  const message = `${showAt(block.source, block.pointer + pointer)} ${fault.message}`
  return [blockIssue(block, { ...fault, pointer, message })]
}

const hint = `use a PNG, JPEG, GIF, WebP or SVG image of at most ${catalogLimits.iconBytes / 2 ** 20} MiB`

async function findImageFault(path: string): Promise<FileFault | undefined> {
  const refuse = (message: string): FileFault => ({ code: 'manifest/bad-value', message, hint })
  try {
    const { size } = await stat(path)
    if (size > catalogLimits.iconBytes) return refuse(`has ${size} bytes`)
    const format = detectIconFormat(await readBytes(path))
    return format === undefined ? refuse('is not an image that the catalog supports') : undefined
  } catch (error) {
    return unreadable(error)
  }
}
