import { existsSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { problem } from '../contract/problems.ts'
import type { SourceFile } from './source.ts'
import { nameSource } from './source_name.ts'

/**
 * Gives all files of a Shapefile one name, as its driver wants them: where one is written with other capitals, it
 * would be passed over, and all that it says.
 *
 * @throws {Problem} source/unreadable where one is missing
 */
export function gatherParts(file: SourceFile): SourceFile {
  const folder = dirname(file.path)
  const stem = file.path.slice(folder.length + 1, -extension.length)
  const isPart = (name: string) => name.toLowerCase().startsWith(`${stem.toLowerCase()}.`)
  for (const name of readdirSync(folder).filter(isPart)) {
    const wanted = join(folder, stem + name.slice(stem.length).toLowerCase())
    if (!existsSync(wanted)) renameSync(join(folder, name), wanted)
  }
  requireParts(file, join(folder, stem))
  return { ...file, path: join(folder, stem + extension) }
}

const extension = '.shp'

/** Without its table a Shapefile can be read, and would lose all that it says of its shapes. */
function requireParts({ name }: SourceFile, stem: string): void {
  const missing = ['.shx', '.dbf'].filter((part) => !existsSync(stem + part))
  if (missing.length === 0) return
  throw problem('source/unreadable', `${nameSource(name)} lacks ${missing.join(' and ')}`, {
    hint: 'Pack all files of the Shapefile into one zip archive: .shp, .shx, .dbf and .prj.',
  })
}
