import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { problem } from '../contract/problems.ts'
import { zip } from '../files/zip.ts'

/** Files that belong to one of the given ending, by theirs; without those in `needs` it says nothing. */
interface Family {
  readonly parts: readonly string[]
  readonly needs: readonly string[]
  /** What it is called. */
  readonly name: string
}

/**
 * Formats whose data lie in several files of one name.
 *
 * @see ESRI Shapefile Technical Description, July 1998; the GDAL drivers ESRI Shapefile, MapInfo File and GML
 */
const families: Readonly<Record<string, Family>> = {
  '.shp': {
    name: 'Shapefile',
    parts: ['.shx', '.dbf', '.prj', '.cpg', '.cst', '.qpj', '.shp.xml', '.sbn', '.sbx', '.idm', '.ind'],
    needs: ['.shx', '.dbf'],
  },
  '.tab': { name: 'MapInfo table', parts: ['.dat', '.map', '.id', '.ind', '.cpg'], needs: ['.dat'] },
  '.mif': { name: 'MapInfo interchange file', parts: ['.mid'], needs: [] },
  '.gml': { name: 'GML', parts: ['.xsd', '.gfs'], needs: [] },
}

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

/** Returns the name a file has in common with those that belong to it, and the file among them that stands for all. */
export function mainOf(paths: readonly string[]): string[] {
  const mains = paths.filter((path) => familyOf(path) !== undefined)
  const belongs = (path: string) =>
    mains.some((main) => main !== path && familyOf(main)?.parts.some((part) => isPart(path, main, part)))
  return paths.filter((path) => !belongs(path))
}

async function findParts(path: string): Promise<string[]> {
  const family = familyOf(path)
  if (family === undefined) return []
  const folder = dirname(path)
  const names: string[] = await readdir(folder).catch(() => [])
  const parts = family.parts.flatMap((part) =>
    names.map((name) => join(folder, name)).filter((other) => isPart(other, path, part)),
  )
  const missing = family.needs.filter((need) => !parts.some((part) => isPart(part, path, need)))
  if (names.includes(basename(path)) && missing.length > 0)
    throw problem(
      'file/not-found',
      `"${path}" is part of a ${family.name}, and its ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
      { hint: `Put ${missing.length > 1 ? 'them' : 'it'} beside the ${extname(path)}.` },
    )
  return [path, ...parts]
}

const familyOf = (path: string): Family | undefined => families[extname(path).toLowerCase()]

function isPart(path: string, main: string, part: string): boolean {
  const stem = main.slice(0, -extname(main).length)
  return path.toLowerCase() === stem.toLowerCase() + part && dirname(path) === dirname(main)
}
