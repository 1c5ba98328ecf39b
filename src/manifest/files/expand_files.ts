import { relative, resolve, sep } from 'node:path'
import { findNameFault } from '../../contract/formats/file_name.ts'
import { filesOf } from '../../contract/registry.ts'
import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import { findPatternFault, isPattern, matchFiles } from '../../files/match_files.ts'
import { findFileFault, unreadable } from '../data_files.ts'
import type { Manifest, WantedFeatures, WantedFile } from '../manifest.ts'
import { type Block, blockIssue } from '../manifest_block.ts'
import type { SourceFault } from '../resolve_source.ts'
import { expandFeatures, extendsFeatures } from './expand_features.ts'

/** A path or pattern of a block. */
export interface FileEntry {
  readonly path: string
  readonly name?: string
  readonly folder?: string
  readonly mime_type?: string
}

/** A path or pattern with its position in the block. */
export interface PlacedEntry {
  readonly entry: FileEntry
  readonly pointer: Pointer
}

/** The files that the blocks of a manifest name, with the faults of their paths. */
export interface ExpandedFiles {
  /** By key; absent for blocks without `files:`. */
  readonly files: ReadonlyMap<string, readonly WantedFile[]>
  /** Descriptions and attachments by key; absent for blocks without `features:`. */
  readonly features: ReadonlyMap<string, WantedFeatures>
  readonly issues: readonly Issue[]
}

/** Finds the files of all blocks: paths are checked, patterns are replaced by the files that they match. */
export async function expandFiles(blocks: readonly Block[]): Promise<ExpandedFiles> {
  const found = await Promise.all(blocks.filter(hasFiles).map(expandBlock))
  const features = await Promise.all(blocks.filter(extendsFeatures).map(expandFeatures))
  return {
    files: new Map(found.map(({ key, files }) => [key, files])),
    features: new Map(features.map((one) => [one.key, one.features])),
    issues: [...found, ...features].flatMap(({ issues }) => issues),
  }
}

/** Adds the files, and descriptions and attachments of features, to the resources of a manifest, by key. */
export function withFiles<M extends Pick<Manifest, 'resources'>>(
  manifest: M,
  { files, features = new Map() }: Pick<ExpandedFiles, 'files'> & Partial<Pick<ExpandedFiles, 'features'>>,
): M {
  if (files.size + features.size === 0) return manifest
  const resources = new Map(manifest.resources)
  for (const [key, list] of files) {
    const wanted = resources.get(key)
    if (wanted !== undefined) resources.set(key, { ...wanted, files: list })
  }
  for (const [key, extended] of features) {
    const wanted = resources.get(key)
    if (wanted !== undefined) resources.set(key, { ...wanted, features: extended })
  }
  return { ...manifest, resources }
}

/** Tells whether a block names files, or files attached to features, that its class can have. */
export function namesFiles(block: Block): boolean {
  return hasFiles(block) || extendsFeatures(block)
}

function hasFiles({ cls, value }: Block): boolean {
  const form = filesOf(cls)?.form
  return form === 'list' ? Array.isArray(value.files) : form === 'one' && typeof value.file === 'string'
}

async function expandBlock(block: Block) {
  const issues: Issue[] = []
  const report = (fault: SourceFault) => void issues.push(blockIssue(block, fault))
  const lists = await Promise.all(
    listEntries(block.value).map(async (placed) => ({
      ...placed,
      files: await expandEntry(block, placed, report),
    })),
  )
  const shown = ({ path }: WantedFile) => relative(block.source.folder, path).split(sep).join('/')
  const byName = new Map<string, WantedFile>()
  for (const { pointer, files } of lists)
    for (const file of files) {
      const other = byName.get(file.name)
      if (other === undefined) byName.set(file.name, file)
      else if (other.path !== file.path || other.mimeType !== file.mimeType)
        report(duplicate(pointer, file.name, [file, other].map(shown)))
    }
  const files = [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { key: block.key, files, issues }
}

function duplicate(pointer: Pointer, name: string, [path, other]: readonly string[]): SourceFault {
  return {
    code: 'manifest/duplicate-item',
    pointer,
    message: `the file name ${JSON.stringify(name)} is used twice, for ${path} and ${other}`,
    hint: 'set another name: or folder:',
  }
}

function listEntries({ file, files }: Block['value']): PlacedEntry[] {
  if (typeof file === 'string') return [{ entry: { path: file }, pointer: '/file' }]
  return (files as readonly unknown[]).flatMap((one, index) => {
    const entry = typeof one === 'string' ? { path: one } : (one as FileEntry | null)
    const pointer = joinPointer('/files', index)
    return typeof entry?.path === 'string' && entry.path !== '' ? [{ entry, pointer }] : []
  })
}

/** Reports a fault of a block. */
export type Report = (fault: SourceFault) => void

/** Lists the files of a path or pattern, and reports its faults. */
export async function expandEntry(
  block: Block,
  { entry, pointer }: PlacedEntry,
  report: Report,
): Promise<WantedFile[]> {
  const { path, name, folder, mime_type: mimeType } = entry
  const base = block.source.folder
  const type = mimeType === undefined ? {} : { mimeType }
  const place =
    typeof block.value.file === 'string' || Object.keys(entry).length === 1 ? pointer : `${pointer}/path`
  if (block.source.unresolved.has(block.pointer + place)) return []
  const isMany = isPattern(path) && pointer !== '/file'
  const matched = isMany
    ? await match(base, path, (message, hint) =>
        report({ code: 'file/not-found', pointer: place, message, hint }),
      )
    : [{ path: resolve(base, path), name: name ?? path.split('/').at(-1) ?? path }]
  const fault = isMany ? undefined : await findFileFault(resolve(base, path))
  if (fault !== undefined) {
    report({ ...fault, pointer: place, message: `${JSON.stringify(path)} ${fault.message}` })
    return []
  }
  if (isMany && name !== undefined) report(nameOfPattern(pointer))
  const prefix = folder === undefined ? '' : `${folder.replace(/\/+$/, '')}/`
  const files = matched.map((file) => ({ path: file.path, name: prefix + file.name, ...type }))
  for (const file of files) {
    const bad = findNameFault(file.name)
    if (bad === undefined) continue
    const message = `the file name ${JSON.stringify(file.name)} ${bad}`
    report({ code: 'manifest/bad-value', pointer: place, message, hint: 'set another name:' })
  }
  return files
}

function nameOfPattern(pointer: Pointer): SourceFault {
  return {
    code: 'manifest/conflict',
    pointer: `${pointer}/name`,
    message: 'a pattern matches several files, which cannot have one name',
    hint: 'write folder: with their folder on the server',
  }
}

/** Maximum length of a pattern in a message. */
const maxShownLength = 80

async function match(folder: string, pattern: string, refuse: (message: string, hint: string) => void) {
  const fault = findPatternFault(pattern)
  if (fault !== undefined) {
    refuse(
      `the pattern ${JSON.stringify(pattern.slice(0, maxShownLength))} ${fault}`,
      'write several patterns',
    )
    return []
  }
  try {
    const found = await matchFiles(folder, pattern)
    if (found.length === 0)
      refuse(
        `${JSON.stringify(pattern)} matches no file`,
        'the pattern is relative to the folder of the manifest; for no files, write files: []',
      )
    return found
  } catch (error) {
    const { message, hint } = unreadable(error)
    refuse(`${JSON.stringify(pattern)} ${message}`, hint)
    return []
  }
}
