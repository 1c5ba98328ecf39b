import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { problem } from '../contract/problems.ts'
import { sourceFormatOf } from '../contract/source_formats.ts'
import { zip } from '../files/zip.ts'

/** A file to upload: the source itself, or an archive of it and its companion files. */
export interface PackedSource {
  readonly path: string
  /** The files in the archive; empty if the source is uploaded as it is. */
  readonly packed: readonly string[]
  /** Removes the archive. */
  remove(): Promise<void>
}

/**
 * Packs a file with its companion files into an archive: a `.shp` with its `.dbf` and others of the same name, ignoring
 * case. A file without companions is returned as it is.
 *
 * @throws {Problem} file/not-found if a required companion file is missing, file/unreadable
 */
export async function packSource(path: string, signal?: AbortSignal): Promise<PackedSource> {
  const packed = await findParts(path)
  if (packed.length < 2) return { path, packed: [], remove: async () => undefined }
  const folder = await mkdtemp(join(tmpdir(), 'landform-pack-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  const archive = join(folder, `${basename(path, extname(path))}.zip`)
  const files = packed.map((part) => ({ name: basename(part), content: createReadStream(part) }))
  try {
    await pipeline(zip(files), createWriteStream(archive), signal === undefined ? {} : { signal })
    return { path: archive, packed, remove }
  } catch (error) {
    await remove()
    if (signal?.aborted) throw problem('pipeline/interrupted', `Packing "${path}" was interrupted.`)
    throw problem('file/unreadable', `Cannot pack "${path}": ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/** Returns the files that are not companions of another one. */
export function mainOf(paths: readonly string[]): string[] {
  const mains = paths.filter((path) => companionsOf(path).length > 0)
  const belongs = (path: string) =>
    mains.some((main) => main !== path && companionsOf(main).some((part) => isPart(path, main, part)))
  return paths.filter((path) => !belongs(path))
}

async function findParts(path: string): Promise<string[]> {
  const companions = companionsOf(path)
  if (companions.length === 0) return []
  const folder = dirname(path)
  const names: string[] = await readdir(folder).catch(() => [])
  const parts = companions.flatMap((part) =>
    names.map((name) => join(folder, name)).filter((other) => isPart(other, path, part)),
  )
  const { title = '', required = [] } = sourceFormatOf(extname(path)) ?? {}
  const missing = required.filter((need) => !parts.some((part) => isPart(part, path, need)))
  if (names.includes(basename(path)) && missing.length > 0)
    throw problem(
      'file/not-found',
      `"${path}" is part of a ${title}, and its ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
      { hint: `Put ${missing.length > 1 ? 'them' : 'it'} next to the ${extname(path)} file.` },
    )
  return [path, ...parts]
}

/** Returns the extensions of the companion files of a file. */
function companionsOf(path: string): readonly string[] {
  const { required = [], optional = [] } = sourceFormatOf(extname(path)) ?? {}
  return [...required, ...optional]
}

function isPart(path: string, main: string, part: string): boolean {
  const stem = main.slice(0, -extname(main).length)
  return path.toLowerCase() === stem.toLowerCase() + part && dirname(path) === dirname(main)
}
