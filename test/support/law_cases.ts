import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the workers of a soak write how many cases each law ran, a line a law. */
const listPath = fileURLToPath(new URL('../../.cache/law_cases.ndjson', import.meta.url))
const root = fileURLToPath(new URL('../../', import.meta.url))

/** Cases of a law. */
export interface LawCases {
  /** Test file, from the root of the repository. */
  readonly file: string
  readonly law: string
  readonly cases: number
}

/** Forgets the cases of an earlier soak. */
export function clearCases(): void {
  rmSync(listPath, { force: true })
}

/** Records that a law of a test file ran some cases. */
export function recordCases({ file, ...rest }: LawCases): void {
  mkdirSync(dirname(listPath), { recursive: true })
  appendFileSync(listPath, `${JSON.stringify({ file: relative(root, file), ...rest })}\n`)
}

/** Reads the recorded cases. */
export function readCases(): LawCases[] {
  if (!existsSync(listPath)) return []
  const lines = readFileSync(listPath, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as LawCases)
}

/** Sums cases up: a line for each file, and one for all. A law may assert several properties, and run on two databases. */
export function summarizeCases(all: readonly LawCases[]): string {
  const sum = (some: readonly LawCases[]) => some.reduce((total, { cases }) => total + cases, 0)
  const files = [...Map.groupBy(all, ({ file }) => file)].sort(([one], [other]) => (one < other ? -1 : 1))
  const lines = files.flatMap(([file, own]) => [
    `${count(sum(own))} ${file}`,
    ...[...Map.groupBy(own, ({ law }) => law)].map(([law, some]) => `${count(sum(some))}   ${law}`),
  ])
  return [...lines, `${count(sum(all))} cases of laws in ${files.length} files`].join('\n')
}

const count = (cases: number) => cases.toLocaleString('en').padStart(11)
