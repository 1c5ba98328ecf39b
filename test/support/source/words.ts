import { faultAt } from './source.ts'
import type { TextFile } from './tracked.ts'

/** Text that no tracked file may hold. Written so that this file does not hold it either. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/g, 'puts work off: do it, or write an issue'],
  [/(?<![\w.:/-])\/(?:work|root|home|Users)\/[\w.-]+/g, 'names a folder of one machine'],
  [
    /https?:\/\/[^\s/'"]*(?:registry|mirror|artifactory|nexus|verdaccio|npmjs)[^\s/'"]*/g,
    'names the host of a registry',
  ],
]

/** Finds work put off, folders of one machine, and hosts of package registries. */
export function checkWords(file: TextFile): string[] {
  return refused.flatMap(([pattern, reason]) =>
    [...file.text.matchAll(pattern)].map((match) => faultAt(file, match.index, `"${match[0]}" ${reason}`)),
  )
}

/** What npm writes of a package in a lock file. */
interface LockEntry {
  readonly resolved?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Finds hosts in a lock file, and optional packages it lacks: with a gap, `npm ci` refuses the whole file. */
export function checkLock(file: TextFile): string[] {
  const packages = Object.entries<LockEntry>(JSON.parse(file.text).packages)
  const installed = new Set(packages.map(([path]) => path.split('node_modules/').at(-1)))
  return packages.flatMap(([path, entry]) => {
    const hosts =
      entry.resolved === undefined || entry.link ? [] : [`${file.path}:1 ${path} is resolved to a host`]
    const wanted = Object.keys(entry.optionalDependencies ?? {})
    const gaps = wanted.filter((name) => !installed.has(name)).map((name) => `${file.path}:1 lacks ${name}`)
    return [...hosts, ...gaps]
  })
}
