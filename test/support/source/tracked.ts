import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSource, type Source } from './source.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A file as text. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** The paths of all files that are in git or about to be, from the root of the repository. */
export function listTrackedPaths(): string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
  // A file that was deleted but not yet committed is still listed.
  return output
    .split('\0')
    .filter((path) => path !== '' && existsSync(root + path) && statSync(root + path).isFile())
}

/** All tracked files that are text. */
export function readTexts(): TextFile[] {
  return listTrackedPaths()
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))
    .filter(({ text }) => !text.includes('\0'))
}

/** The tracked files of code, parsed. */
export function readSources(): Source[] {
  return readTexts()
    .filter(({ path }) => /\.(ts|mts|js|mjs)$/.test(path))
    .map(({ path, text }) => parseSource(path, text))
}
