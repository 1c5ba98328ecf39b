import { readdir } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { sourceFormatList } from '../../contract/formats/source_formats.ts'

/** A data file that a layer can be made of. */
export interface FoundData {
  /** Path relative to the searched folder, with `/`. */
  readonly path: string
  readonly isRaster: boolean
}

const rasterExtensions = ['.tif', '.tiff']

/** Number of folders below the searched one that are looked into, and number of files that are found. */
const limits = { depth: 3, files: 100 }

/** Finds data files by their extensions, sorted by path. Skips node_modules and names that start with a dot. */
export async function findData(folder: string): Promise<FoundData[]> {
  const found: FoundData[] = []
  await search(folder, 0)
  return found.sort((a, b) => (a.path < b.path ? -1 : 1)).slice(0, limits.files)

  async function search(place: string, depth: number): Promise<void> {
    const entries = await readdir(place, { withFileTypes: true })
    const names = new Set(entries.map(({ name }) => name.toLowerCase()))
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      const path = join(place, entry.name)
      if (entry.isDirectory() && depth < limits.depth) await search(path, depth + 1)
      if (!entry.isFile() || !isSource(entry.name, names)) continue
      found.push({ path: relative(folder, path).split(sep).join('/'), isRaster: isRaster(entry.name) })
    }
  }
}

/** Tells whether a file is a raster, by its extension. */
export function isRaster(path: string): boolean {
  return rasterExtensions.includes(extname(path).toLowerCase())
}

// Extensions that programs write for other things too, such as .json, need a person to name the file.
const ambiguous = new Set(['.json', '.txt', '.xml', '.xlsx', '.ods'])

function isSource(name: string, siblings: ReadonlySet<string>): boolean {
  if (isRaster(name)) return true
  const extension = extname(name).toLowerCase()
  const stem = name.slice(0, -extension.length).toLowerCase()
  const format = sourceFormatList.find(({ extensions, archiveExtensions = [] }) =>
    [...extensions, ...archiveExtensions].includes(extension),
  )
  if (format === undefined || ambiguous.has(extension)) return false
  return (format.required ?? []).every((sidecar) => siblings.has(stem + sidecar))
}
