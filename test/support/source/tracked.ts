import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { once } from '../../../src/core/once.ts'
import { parseSource, type Source } from './source.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A text file. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** Lists the paths of all tracked and untracked, not ignored files, from the root of the repository. */
export const listTrackedPaths = once((): readonly string[] => {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate']
  const output = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
  // Deleted but uncommitted files are still listed.
  return output
    .split('\0')
    .filter((path) => path !== '' && existsSync(root + path) && statSync(root + path).isFile())
})

/** Reads all tracked text files. */
export const readTexts = once((): readonly TextFile[] =>
  listTrackedPaths()
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }))
    .filter(({ text }) => !text.includes('\0')),
)

/** Reads and parses all tracked source files. */
export const readSources = once((): readonly Source[] =>
  readTexts()
    .filter(({ path }) => /\.(ts|mts|js|mjs)$/.test(path))
    .map(({ path, text }) => parseSource(path, text)),
)
