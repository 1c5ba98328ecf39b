import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { type Cls, extensionsOf, filesOf } from '../contract/registry.ts'
import { isObject } from '../core/is_object.ts'
import { joinPointer } from '../core/pointer.ts'
import type { WantedFile } from '../manifest/manifest.ts'
import type { ActualFile } from '../reconcile/model/actual_files.ts'
import { digestFile } from '../transfer/upload_file.ts'
import type { PropertyChange } from './compare_inputs.ts'
import { featuresBlock } from './feature_inputs.ts'
import { formatPropertyPath } from './property_path.ts'
import { signatureKey, signatures, unknownValue, type Values } from './property_values.ts'
import type { InputFault } from './resource_manifest.ts'

/**
 * A file of a bucket or form in checked inputs. Patterns are replaced by the files that they match; the digest of the content
 * stands for the path, which differs between machines.
 */
interface CheckedFile {
  /** Path relative to the program, or an asset; absent for a file that only the server has. */
  readonly path?: unknown
  /** Name on the server; absent for the file of a form. */
  readonly name?: string
  readonly mime_type?: string
  readonly digest?: string
}

/** Files of inputs on this machine. */
export interface OpenedFiles {
  /** The file or files as in a manifest, with absolute paths of assets: `files` or `file`. */
  readonly block: Values
  readonly faults: readonly InputFault[]
  /** Returns the path or asset that a file was read from. */
  sourceOf(path: string): unknown
  /** Removes temporary files. */
  remove(): Promise<void>
}

/** Returns the property of the files of a class; undefined if its resources have none. */
export function filesProperty(cls: Cls): 'files' | 'file' | undefined {
  const form = filesOf(cls)?.form
  return form && (form === 'one' ? 'file' : 'files')
}

/** Returns the files and attachments of inputs as a manifest writes them, where assets are named by a path. */
export function filesBlock(cls: Cls, inputs: Values, pathOf: (source: unknown) => unknown): Values {
  const property = filesProperty(cls)
  if (hasFeatures(cls)) return featuresBlock(inputs, (one) => entryOf(one, pathOf))
  const given = property === undefined ? undefined : inputs[property]
  if (property === undefined || given === undefined) return {}
  if (property === 'file') return { file: pathOf(isAsset(given) || !isObject(given) ? given : given.path) }
  return { files: Array.isArray(given) ? given.map((one) => entryOf(one, pathOf)) : given }
}

function entryOf(one: unknown, pathOf: (source: unknown) => unknown): unknown {
  if (isAsset(one)) return { path: pathOf(one), ...nameOf(one) }
  if (!isObject(one)) return one
  const { digest: _, path, ...rest } = one
  return { ...rest, path: pathOf(path), ...(rest.name === undefined && isAsset(path) ? nameOf(path) : {}) }
}

function nameOf({ path }: Values): { readonly name?: string } {
  return typeof path === 'string' ? { name: basename(path) } : {}
}

const isAsset = (value: unknown): value is Values => isObject(value) && Object.hasOwn(value, signatureKey)

/** Whether a class has features that can have descriptions and attachments. */
const hasFeatures = (cls: Cls) => extensionsOf(cls) !== undefined

/** Opens the files of inputs: texts of assets are written to a temporary folder. */
export async function openFiles(cls: Cls, inputs: Values, folder: string): Promise<OpenedFiles> {
  const sources = new Map<string, unknown>()
  const texts: { readonly path: string; readonly text: string }[] = []
  const faults: InputFault[] = []
  const made = await mkdtemp(join(tmpdir(), 'landform-asset-'))
  const property = filesProperty(cls) ?? 'features.attachments'
  const pathOf = (source: unknown): unknown => {
    if (!isAsset(source)) return source
    const { path, text, [signatureKey]: kind } = source
    const opened = typeof path === 'string' ? resolve(folder, path) : join(made, String(texts.length))
    if (typeof text === 'string') texts.push({ path: opened, text })
    else if (typeof path !== 'string' || kind !== signatures.asset)
      faults.push({ property, reason: 'expected paths of files, FileAsset or StringAsset' })
    sources.set(opened, source)
    return opened
  }
  const block = filesBlock(cls, inputs, pathOf)
  for (const { path, text } of texts) await writeFile(path, text)
  const unnamed = (entry: unknown) =>
    isObject(entry) && entry.name === undefined && String(entry.path).startsWith(made)
  for (const [list, entries] of listEntries(block))
    for (const [at, entry] of entries.entries())
      if (unnamed(entry))
        faults.push({ property: `${list}[${at}].name`, reason: 'missing; a StringAsset has no name' })
  return {
    block,
    faults,
    sourceOf: (path) => sources.get(path) ?? (relative(folder, path) || path),
    remove: () => rm(made, { recursive: true, force: true }),
  }
}

/** Lists the lists of files of a block with their property paths. */
function listEntries({ files, features }: Values): (readonly [string, readonly unknown[]])[] {
  const attachments = isObject(features) && isObject(features.attachments) ? features.attachments : {}
  return [
    ['files', files] as const,
    ...Object.entries(attachments).map(
      ([key, list]) => [formatPropertyPath(joinPointer('/features/attachments', key)), list] as const,
    ),
  ].flatMap(([path, list]) => (Array.isArray(list) ? [[path, list] as const] : []))
}

/** Writes the files of a resource in full, with their digests, so that a changed content is a changed property. */
export async function completeFiles(
  cls: Cls,
  files: readonly WantedFile[],
  { sourceOf }: OpenedFiles,
): Promise<Values> {
  const entries = await Promise.all(
    files.map(async ({ path, name, mimeType }): Promise<CheckedFile> => {
      const { sha256: digest } = await digestFile(path)
      return {
        path: sourceOf(path),
        name,
        ...(mimeType === undefined ? {} : { mime_type: mimeType }),
        digest,
      }
    }),
  )
  if (filesProperty(cls) === 'files') return { files: entries }
  return { file: entries[0] && { path: entries[0].path, digest: entries[0].digest } }
}

/** Whether inputs have files, or what features have, whose values are all known. */
export function hasKnownFiles(cls: Cls, inputs: Values): boolean {
  const property = hasFeatures(cls) ? 'features' : filesProperty(cls)
  const given = property === undefined ? undefined : inputs[property]
  return given !== undefined && !JSON.stringify(given).includes(unknownValue)
}

/** Compares the files of inputs with earlier ones, by name and content. */
export function compareFileInputs(cls: Cls, olds: Values, news: Values): PropertyChange[] {
  const property = filesProperty(cls)
  if (property === undefined || news[property] === unknownValue) return []
  const [before, after] = [listFiles(olds[property]), listFiles(news[property])]
  const placeOf = (at: number) => (property === 'files' ? `files[${at}]` : 'file')
  const changeAt = (at: number, kind: PropertyChange['kind']) => ({
    path: placeOf(at),
    kind,
    replaces: false,
  })
  // What a program does not set stays as it is on the server.
  if (news[property] === undefined)
    return olds[property] === undefined ? [] : [{ path: property, kind: 'delete', replaces: false }]
  const written = after.flatMap((file, at) => {
    const old = before.find(({ name }) => name === file.name)
    if (old === undefined) return [changeAt(at, 'add')]
    const isSame = old.digest === file.digest && old.mime_type === file.mime_type
    return isSame && file.digest !== undefined ? [] : [changeAt(at, 'update')]
  })
  const removed = before.flatMap((file, at) =>
    after.some(({ name }) => name === file.name) ? [] : [changeAt(at, 'delete')],
  )
  // A file that is added where another one was is an item that changes.
  const places = new Set(written.map(({ path }) => path))
  const taken = new Set(removed.flatMap(({ path }) => (places.has(path) ? path : [])))
  return [
    ...written.map((change) => (taken.has(change.path) ? { ...change, kind: 'update' as const } : change)),
    ...removed.filter(({ path }) => !taken.has(path)),
  ]
}

function listFiles(given: unknown): readonly CheckedFile[] {
  if (given === undefined || given === unknownValue) return []
  const list = Array.isArray(given) ? given : [given]
  return list.map((one) => (isObject(one) ? one : { path: one })) as readonly CheckedFile[]
}

/** Projects the files of a server on earlier inputs; equal inputs if the server has the same files. */
export function projectFiles(cls: Cls, inputs: Values, there: readonly ActualFile[]): Values {
  const property = filesProperty(cls)
  const given = property === undefined ? undefined : inputs[property]
  if (property === undefined || given === undefined) return inputs
  const known = listFiles(given)
  if (property === 'file') return { ...inputs, file: projectFile(known[0] ?? {}, there[0]) }
  const kept = known.flatMap((file) => {
    const found = there.find(({ name }) => name === file.name)
    return found === undefined ? [] : [projectFile(file, found)]
  })
  const others = there.filter(({ name }) => !known.some((file) => file.name === name))
  const added = others.map(({ name, digest }) => ({ name, ...(digest === undefined ? {} : { digest }) }))
  return { ...inputs, files: [...kept, ...added] }
}

function projectFile(file: CheckedFile, found: ActualFile | undefined): CheckedFile {
  if (found === undefined) return { ...file, digest: 'not on the server' }
  const { digest = file.digest, mime_type } = found
  const type = file.mime_type === undefined || mime_type === undefined ? {} : { mime_type }
  return { ...file, ...type, ...(digest === undefined ? {} : { digest }) }
}
