import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { problem } from '../contract/problems.ts'
import { sourceFormatOf } from '../contract/source_formats.ts'
import { zip } from '../files/zip.ts'

/** A file as it goes up: itself, or an archive of what belongs to it. */
export interface PackedSource {
  readonly path: string
  /** The files in the archive; none where it goes up as it is. */
  readonly packed: readonly string[]
  /** Removes what was made. */
  remove(): Promise<void>
}

/**
 * Packs a file with those that belong to it, as servers take data in several files: a `.shp` with its `.dbf` and the others
 * of its name, whatever the case. A file that stands for itself stays as it is.
 *
 * @throws {Problem} file/not-found where one is missing that it cannot do without, file/unreadable
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
    throw problem('file/unreadable', `"${path}" cannot be packed: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/** Gives the name a file has in common with those that belong to it, and the file among them that stands for all. */
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
      { hint: `Put ${missing.length > 1 ? 'them' : 'it'} beside the ${extname(path)}.` },
    )
  return [path, ...parts]
}

/** Gives the extensions of the files that belong to a file. */
function companionsOf(path: string): readonly string[] {
  const { required = [], optional = [] } = sourceFormatOf(extname(path)) ?? {}
  return [...required, ...optional]
}

function isPart(path: string, main: string, part: string): boolean {
  const stem = main.slice(0, -extname(main).length)
  return path.toLowerCase() === stem.toLowerCase() + part && dirname(path) === dirname(main)
}
