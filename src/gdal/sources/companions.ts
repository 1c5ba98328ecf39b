import { existsSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { problem } from '../../contract/problems.ts'
import type { SourceFile } from './source.ts'
import { nameSource } from './source_name.ts'

/** What belongs to a file of an extension: without it the file would be read, and lose what stands there. */
const parts: Readonly<Record<string, readonly string[]>> = {
  '.shp': ['.shx', '.dbf'],
  '.mif': ['.mid'],
  '.tab': ['.dat', '.map', '.id'],
}

/**
 * Gives all files that belong to one another the same name, as their driver wants them: where one is written with
 * other capitals, it would be passed over, and all that it says.
 *
 * @param extension of the file, in lower case
 * @throws {Problem} source/unreadable where one is missing
 */
export function gatherParts(file: SourceFile, extension: string): SourceFile {
  const folder = dirname(file.path)
  const stem = basename(file.path).slice(0, -extension.length)
  const isPart = (name: string) => name.toLowerCase().startsWith(`${stem.toLowerCase()}.`)
  for (const name of readdirSync(folder).filter(isPart)) {
    const wanted = join(folder, stem + name.slice(stem.length).toLowerCase())
    if (!existsSync(wanted)) renameSync(join(folder, name), wanted)
  }
  const path = join(folder, stem)
  const missing = (parts[extension] ?? []).filter((part) => !existsSync(path + part))
  if (missing.length > 0) throw lacks(file, missing)
  return { ...file, path: path + extension }
}

function lacks({ name }: SourceFile, missing: readonly string[]): Error {
  return problem('source/unreadable', `${nameSource(name)} lacks ${missing.join(' and ')}`, {
    hint: 'Pack all files that belong together into one zip archive; of a Shapefile .shp, .shx, .dbf and .prj.',
  })
}
