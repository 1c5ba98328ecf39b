import { glob } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'

/** A file that a path or pattern names. */
export interface MatchedFile {
  /** Absolute path. */
  readonly path: string
  /** Path below the folder before the first wildcard of the pattern, with `/`. */
  readonly name: string
}

/** Tells whether a path has wildcards: `*`, `?`, `[…]` or `{…}`. */
export function isPattern(path: string): boolean {
  return /[*?[{]/.test(path)
}

/** Lists the files that match a pattern relative to a folder, sorted by name. Wildcards match no name that starts with a dot. */
export async function matchFiles(folder: string, pattern: string): Promise<MatchedFile[]> {
  const parts = pattern.split('/')
  const fixed = parts.slice(0, Math.max(0, parts.findIndex(isPattern)))
  const base = resolve(folder, fixed.join('/') || (pattern.startsWith('/') ? '/' : '.'))
  const found: MatchedFile[] = []
  const rest = parts.slice(fixed.length).join('/')
  for await (const entry of glob(rest, { cwd: base, withFileTypes: true })) {
    if (!entry.isFile() && !entry.isSymbolicLink()) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(base, path).split(sep).join('/')
    if (!name.split('/').some((part) => part.startsWith('.'))) found.push({ path, name })
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
