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

/** Maximum number of patterns that the braces of one pattern stand for, and of `*` in a name. */
const limits = { alternatives: 1000, stars: 4 }

/**
 * Finds why a pattern would be matched for minutes, or without an end; undefined if it is not. The time of matching a name grows with
 * its length to the power of the number of `*`, and braces multiply.
 */
export function findPatternFault(pattern: string): string | undefined {
  if (countAlternatives(pattern) > limits.alternatives)
    return `has braces for more than ${limits.alternatives} patterns`
  const isCostly = pattern
    .split('/')
    .some((name) => name.replaceAll(/\*+/g, '*').split('*').length - 1 > limits.stars)
  return isCostly ? `has more than ${limits.stars} * in a name` : undefined
}

/** Counts the patterns that braces stand for, at most: alternatives of nested braces are multiplied, too. */
function countAlternatives(pattern: string): number {
  let count = 1
  const open: number[] = []
  for (const sign of pattern.match(/[{},]|-?\d+\.\.-?\d+/g) ?? []) {
    if (sign === '{') open.push(1)
    else if (sign === '}') count *= open.pop() ?? 1
    else if (open.length > 0) open.push((open.pop() ?? 1) + (sign === ',' ? 1 : sizeOfRange(sign)))
  }
  return count
}

function sizeOfRange(range: string): number {
  const [from = 0, to = 0] = range.split('..').map(Number)
  return Math.abs(to - from)
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
