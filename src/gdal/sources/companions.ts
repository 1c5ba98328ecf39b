import { existsSync, readdirSync, renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type SourceFormatName, sourceFormats } from '../../contract/formats/source_formats.ts'
import { problem } from '../../contract/problems.ts'
import type { SourceFile } from './source.ts'
import { nameSource } from './source_name.ts'

/** Formats that consist of several files. */
type SeveralFiles = {
  [Name in SourceFormatName]: (typeof sourceFormats)[Name] extends { required: unknown } ? Name : never
}[SourceFormatName]

/**
 * Renames files that belong together so that they differ in the extension only, in lower case. Drivers ignore companion
 * files whose names differ in case.
 *
 * @throws {Problem} source/unreadable if a required file is missing
 */
export function gatherCompanions(file: SourceFile, format: SeveralFiles): SourceFile {
  const { extensions, required } = sourceFormats[format]
  const [extension] = extensions
  const folder = dirname(file.path)
  const stem = basename(file.path).slice(0, -extension.length)
  const isPart = (name: string) => name.toLowerCase().startsWith(`${stem.toLowerCase()}.`)
  for (const name of readdirSync(folder).filter(isPart)) {
    const wanted = join(folder, stem + name.slice(stem.length).toLowerCase())
    if (!existsSync(wanted)) renameSync(join(folder, name), wanted)
  }
  const path = join(folder, stem)
  const missing = required.filter((part) => !existsSync(path + part))
  if (missing.length > 0) throw lacks(file, missing)
  return { ...file, path: path + extension }
}

function lacks({ name }: SourceFile, missing: readonly string[]): Error {
  return problem('source/unreadable', `${nameSource(name)} lacks ${missing.join(' and ')}`, {
    hint: 'Upload a ZIP archive of all files that belong together; for a Shapefile .shp, .shx, .dbf and .prj.',
  })
}
