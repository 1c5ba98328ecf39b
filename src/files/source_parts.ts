import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { sourceFormatOf } from '../contract/formats/source_formats.ts'
import { problem } from '../contract/problems.ts'

/** Returns the files that are not companions of another one. */
export function mainOf(paths: readonly string[]): string[] {
  const mains = paths.filter((path) => companionsOf(path).length > 0)
  const belongs = (path: string) =>
    mains.some((main) => main !== path && companionsOf(main).some((part) => isPart(path, main, part)))
  return paths.filter((path) => !belongs(path))
}

/**
 * Lists a file and its companion files, in a fixed order; empty if its format has none.
 *
 * @throws {Problem} file/not-found if a required companion file is missing
 */
export async function findParts(path: string): Promise<string[]> {
  const companions = companionsOf(path)
  if (companions.length === 0) return []
  const folder = dirname(path)
  const names: string[] = (await readdir(folder).catch(() => [])).sort()
  const parts = companions.flatMap((part) =>
    names.map((name) => join(folder, name)).filter((other) => isPart(other, path, part)),
  )
  const missing = names.includes(basename(path)) ? listMissing(path, parts) : []
  if (missing.length > 0) {
    const { title = '' } = sourceFormatOf(extname(path)) ?? {}
    throw problem(
      'file/not-found',
      `"${path}" is part of a ${title}, and its ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
      { hint: `Put ${missing.length > 1 ? 'them' : 'it'} next to the ${extname(path)} file.` },
    )
  }
  return [path, ...parts]
}

/** Returns the extensions of the required companion files that do not exist. */
export async function findMissingParts(path: string): Promise<string[]> {
  const { required = [] } = sourceFormatOf(extname(path)) ?? {}
  if (required.length === 0) return []
  const folder = dirname(path)
  return listMissing(
    path,
    (await readdir(folder)).map((name) => join(folder, name)),
  )
}

function listMissing(path: string, parts: readonly string[]): string[] {
  const { required = [] } = sourceFormatOf(extname(path)) ?? {}
  return required.filter((need) => !parts.some((part) => isPart(part, path, need)))
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
