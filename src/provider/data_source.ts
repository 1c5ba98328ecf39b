import { copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, extname, join, resolve } from 'node:path'
import { sourceFormatOf } from '../contract/formats/source_formats.ts'
import { problem } from '../contract/problems.ts'
import { isObject } from '../core/is_object.ts'
import { isProblem } from '../core/problem.ts'
import { mainOf } from '../files/source_parts.ts'
import { findFileFault } from '../manifest/data_files.ts'
import { digestSource } from '../transfer/pack.ts'
import { signatureKey, signatures, unknownValue, type Values } from './property_values.ts'
import type { InputFault } from './resource_manifest.ts'

/** The data of a layer as a file on this machine. */
export interface OpenedSource {
  /** Absolute path. */
  readonly path: string
  /** Removes temporary files. */
  remove(): Promise<void>
}

/**
 * Writes `data` in full: a path or an asset becomes its source, and the digest of its content is added, so that a changed file
 * is a changed property. Paths differ between machines, digests do not.
 */
export async function completeData(
  inputs: Values,
  folder: string,
): Promise<{ readonly inputs: Values; readonly faults: readonly InputFault[] }> {
  const { data: given } = inputs
  if (given === undefined || given === unknownValue) return { inputs, faults: [] }
  const isLong = isObject(given) && !Object.hasOwn(given, signatureKey)
  const data: Values = isLong ? given : { source: given }
  // The engine shows the value of the property.
  const property = isLong ? 'data.source' : 'data'
  const { source } = data
  const completed = { ...inputs, data }
  if (Object.hasOwn(data, 'digest'))
    return fault(completed, 'data.digest', 'is computed from the source; remove it')
  // What is not a source is a fault of the schema.
  if (source === unknownValue || source === '' || (typeof source !== 'string' && !isAsset(source)))
    return { inputs: completed, faults: [] }
  try {
    if (typeof source === 'string') {
      const found = await findFileFault(resolve(folder, source))
      if (found !== undefined)
        return fault(completed, property, `"${source}" ${found.message}; ${inProgram(found.hint)}`)
    }
    const opened = await openSource(source, folder)
    try {
      const { sha256 } = await digestSource(opened.path)
      return { inputs: { ...inputs, data: { ...data, digest: sha256 } }, faults: [] }
    } finally {
      await opened.remove()
    }
  } catch (error) {
    if (!isProblem(error)) throw error
    return fault(completed, property, [error.message, error.hint].filter(Boolean).join(' '))
  }
}

/** Says of a hint for manifests where the files of a program are. */
export const inProgram = (hint: string) => hint.replaceAll('folder of the manifest', 'folder of the program')

function fault(inputs: Values, property: string, reason: string) {
  return { inputs, faults: [{ property, reason }] }
}

const isAsset = (value: unknown): value is Values => isObject(value) && Object.hasOwn(value, signatureKey)

const temporary = 'landform-asset-'

/**
 * Opens a source: a path, a file, a text or an archive. Texts and files of archives are written to a temporary folder.
 *
 * @throws {Problem} usage/bad-argument for sources that are not data of one layer
 */
export async function openSource(source: unknown, folder: string): Promise<OpenedSource> {
  const keep = (path: string): OpenedSource => ({ path, remove: async () => undefined })
  if (typeof source === 'string') return keep(resolve(folder, source))
  if (!isAsset(source)) throw problem('usage/bad-argument', 'data.source: expected a path or an asset.')
  const { path, text, assets } = source
  if (typeof path === 'string') return keep(await findMain(resolve(folder, path)))
  if (typeof text === 'string') return write({ [`data${extensionOf(text)}`]: source }, folder)
  if (isObject(assets)) return write(assets, folder)
  throw problem('usage/bad-argument', 'The source is a URL, and only files are loaded.', {
    hint: 'Download it, and pass it as a FileAsset.',
  })
}

async function write(assets: Values, folder: string): Promise<OpenedSource> {
  const made = await mkdtemp(join(tmpdir(), temporary))
  const remove = () => rm(made, { recursive: true, force: true })
  try {
    for (const [name, asset] of Object.entries(assets)) await writeAsset({ asset, name, made, folder })
    return { path: await findMain(made), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

interface WrittenAsset {
  readonly asset: unknown
  readonly name: string
  readonly made: string
  readonly folder: string
}

async function writeAsset({ asset, name, made, folder }: WrittenAsset): Promise<void> {
  const { path, text } = isAsset(asset) && asset[signatureKey] === signatures.asset ? asset : {}
  const to = join(made, basename(name))
  if (typeof text === 'string') await writeFile(to, text)
  else if (typeof path === 'string') await copyFile(resolve(folder, path), to)
  else
    throw problem('usage/bad-argument', `"${name}" in the archive is not a file.`, {
      hint: 'Put FileAsset and StringAsset objects into the archive.',
    })
}

/** Finds the data file of a folder, apart from its companion files. */
async function findMain(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  if (found?.isDirectory() !== true) return path
  const names = await readdir(path)
  const mains = mainOf(names.map((name) => join(path, name))).filter(isData)
  const [main] = mains
  if (main !== undefined && mains.length === 1) return main
  throw problem('usage/bad-argument', `The archive has ${mains.length} data files.`, {
    hint: 'Pass one data file, with the files that belong to it.',
  })
}

/** Tells whether a file of an archive is data; its extension may belong to other kinds of files, too. */
function isData(path: string): boolean {
  const extension = extname(path).toLowerCase()
  return sourceFormatOf(extension)?.extensions.includes(extension) === true
}

/** Returns the extension of the format of a text. */
function extensionOf(text: string): string {
  const start = text.trimStart()
  if (start.startsWith('{')) return '.geojson'
  if (!start.startsWith('<')) return '.csv'
  return /<kml[\s>]/.test(start.slice(0, 1000)) ? '.kml' : '.gml'
}
