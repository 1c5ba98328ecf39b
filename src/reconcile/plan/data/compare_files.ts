import { filesOf } from '../../../contract/registry.ts'
import { countOf } from '../../../core/count.ts'
import type { Issue } from '../../../core/issue.ts'
import { joinPointer, type Pointer } from '../../../core/pointer.ts'
import type { WantedFile, WantedResource } from '../../../manifest/manifest.ts'
import { type ActualFile, countFiles, readFiles } from '../../model/actual_files.ts'
import type { ActualResource } from '../../model/actual_tree.ts'
import type { Edit, FileEntry, FileFacts, FileUpload } from '../../model/change.ts'
import { issueAt } from '../issue_at.ts'
import type { SourceFile } from './decide_load.ts'

/** Difference between the files of a block and those of its resource. */
export interface FilesDiff {
  /** Added, changed and removed files, by name. */
  readonly edits: readonly Edit[]
  /** All files after the change; undefined if none of them changes. */
  readonly entries: readonly FileEntry[] | undefined
  /** Pointers of files that the caller cannot read. */
  readonly unknown: readonly Pointer[]
}

const none: FilesDiff = { edits: [], entries: undefined, unknown: [] }

/**
 * Compares the files of a resource by digest, or by size on servers that report no digest. Files that the block does not list are
 * removed. `actual` is undefined for a new resource. Pure.
 */
export function compareFiles(
  { cls, files, addedFiles }: WantedResource,
  actual: ActualResource | undefined,
  digests: ReadonlyMap<string, SourceFile> = new Map(),
): FilesDiff {
  const kind = filesOf(cls)
  if (addedFiles !== undefined && actual !== undefined) return removeFiles(readFiles(actual), addedFiles)
  if (files === undefined || kind === undefined || (actual !== undefined && actual.cls !== cls)) return none
  const uploads = files.map((file) => ({ name: file.name, upload: uploadOf(file, digests) }))
  const there = actual === undefined ? [] : readFiles(actual)
  if (there === undefined) return { ...none, unknown: [kind.form === 'one' ? '/file' : '/files'] }
  return kind.form === 'one' ? compareOne(uploads, there) : compareLists(uploads, there)
}

/** An undo removes the files that an apply added, and gives those that it renamed their former names. */
function removeFiles(
  there: readonly ActualFile[] = [],
  formerNames: ReadonlyMap<string, string | undefined>,
): FilesDiff {
  const gone = there.filter(({ name }) => formerNames.has(name))
  if (gone.length === 0) return none
  const edits = gone.map((file) => {
    const former = formerNames.get(file.name)
    return former === undefined ? editOf(placeOf(file.name), file, undefined) : renameEdit(former, file)
  })
  const entries = there.flatMap(({ name }): FileEntry[] => {
    if (!formerNames.has(name)) return [{ name }]
    const former = formerNames.get(name)
    return former === undefined ? [] : [{ name: former, from: name }]
  })
  return { ...none, edits, entries }
}

type Upload = FileEntry & { readonly upload: FileUpload }

function uploadOf({ path, mimeType }: WantedFile, digests: ReadonlyMap<string, SourceFile>): FileUpload {
  const { sha256 = '', sizeBytes = 0 } = digests.get(path) ?? {}
  return { path, sha256, sizeBytes, ...(mimeType === undefined ? {} : { mimeType }) }
}

function compareOne([wanted]: readonly Upload[], [there]: readonly ActualFile[]): FilesDiff {
  if (wanted === undefined || (there !== undefined && isSame(wanted.upload, there))) return none
  return { ...none, edits: [editOf('/file', there, wanted.upload)], entries: [wanted] }
}

function compareLists(wanted: readonly Upload[], there: readonly ActualFile[]): FilesDiff {
  const byName = new Map(there.map((file) => [file.name, file]))
  const names = new Set(wanted.map(({ name }) => name))
  const edits: Edit[] = []
  const contents = indexContents(there)
  // Files that go, of which each can be renamed once.
  const going = new Map(there.flatMap((file) => (names.has(file.name) ? [] : [[file.name, file]])))
  const entries = wanted.map((file): FileEntry => {
    const { name, upload } = file
    const old = byName.get(name)
    if (old !== undefined && isSame(upload, old)) return { name }
    const same = old?.digest === upload.sha256 ? [old] : (contents.get(upload.sha256) ?? [])
    const [found] = same
    const renamed = old === undefined ? same.find((one) => going.delete(one.name)) : undefined
    edits.push(renamed === undefined ? editOf(placeOf(name), old, upload) : renameEdit(name, renamed, upload))
    return found === undefined ? file : keptEntry(file, renamed ?? found)
  })
  for (const file of going.values()) edits.push(editOf(placeOf(file.name), file, undefined))
  return edits.length === 0 ? none : { ...none, edits, entries }
}

/** Files of the server by digest; empty for servers that report none. */
function indexContents(there: readonly ActualFile[]): ReadonlyMap<string, readonly ActualFile[]> {
  const known = there.flatMap((file) => (file.digest === undefined ? [] : [{ ...file, digest: file.digest }]))
  return Map.groupBy(known, ({ digest }) => digest)
}

/** The server has the content: it is not sent again. */
function keptEntry({ name, upload: { mimeType } }: Upload, { name: from }: ActualFile): FileEntry {
  return {
    name,
    ...(from === name ? {} : { from }),
    ...(mimeType === undefined ? {} : { mimeType }),
  }
}

function renameEdit(name: string, from: ActualFile, to?: FileUpload): Edit {
  const { size, digest } = from
  const mimeType = to?.mimeType
  const types = (type: string | undefined) => (mimeType === undefined ? {} : { mime_type: type })
  return {
    pointer: placeOf(name),
    from: { name: from.name, size, digest, ...types(from.mime_type) },
    to: { size, digest, ...types(mimeType) },
  }
}

const placeOf = (name: string) => joinPointer('/files', name)

function isSame({ sha256, sizeBytes, mimeType }: FileUpload, there: ActualFile): boolean {
  if (mimeType !== undefined && mimeType !== there.mime_type) return false
  return there.digest === undefined ? there.size === sizeBytes : there.digest === sha256
}

function editOf(pointer: Pointer, from: ActualFile | undefined, to: FileUpload | undefined): Edit {
  const isTyped = to?.mimeType !== undefined
  return {
    pointer,
    ...(from === undefined ? {} : { from: factsOf(from, isTyped || to === undefined) }),
    ...(to === undefined
      ? {}
      : { to: factsOf({ size: to.sizeBytes, digest: to.sha256, mime_type: to.mimeType }, isTyped) }),
    ...(from !== undefined && to?.sha256 !== from.digest ? { loses: 'the content' } : {}),
  }
}

/** Fraction of the files of a bucket that a plan may remove without permission. */
const fileFuse = 0.5

/**
 * Refuses a change that removes most files of a resource, such as when a pattern matches fewer files than before. Pure.
 */
export function checkFileLoss(
  wanted: WantedResource,
  { members, cls }: ActualResource,
  { edits }: FilesDiff,
): Issue[] {
  if (wanted.addedFiles !== undefined) return []
  const removed = edits.filter(({ to }) => to === undefined).length
  const there = countFiles({ members, cls })
  if (removed <= there * fileFuse) return []
  const message = `"${wanted.key}" would lose ${removed} of ${countOf(there, 'file')}`
  const hint = `Check the files and patterns in files. If the loss is intended, use --allow-loss ${wanted.key}.`
  return [{ ...issueAt(wanted, 'plan/file-loss', message, '/files'), hint }]
}

const factsOf = ({ size, digest, mime_type }: FileFacts, isTyped: boolean): FileFacts => ({
  size,
  ...(digest === undefined ? {} : { digest }),
  ...(isTyped ? { mime_type } : {}),
})
