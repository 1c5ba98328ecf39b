import { faultAt } from './source.ts'
import type { TextFile } from './tracked.ts'

/** Text that no tracked file may contain, written so that this file does not contain it either. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b/g, 'postpones work: do it, or write an issue'],
  [/(?<![\w.:/-])\/(?:work|root|home|Users)\/[\w.-]+/g, 'is a path of one machine'],
  [
    /https?:\/\/[^\s/'"]*(?:registry|mirror|artifactory|nexus|verdaccio|npmjs)[^\s/'"]*/g,
    'is the host of a registry',
  ],
]

/** Finds postponed work, machine-specific paths, and hosts of package registries. */
export function checkWords(file: TextFile): string[] {
  return refused.flatMap(([pattern, reason]) =>
    [...file.text.matchAll(pattern)].map((match) => faultAt(file, match.index, `"${match[0]}" ${reason}`)),
  )
}

/** Entry of a package in a lock file. */
interface LockEntry {
  readonly resolved?: string
  readonly link?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Finds hosts in a lock file, and missing optional packages, for which `npm ci` rejects the entire file. */
export function checkLock(file: TextFile): string[] {
  const packages = Object.entries<LockEntry>(JSON.parse(file.text).packages)
  const installed = new Set(packages.map(([path]) => path.split('node_modules/').at(-1)))
  return packages.flatMap(([path, entry]) => {
    const hosts =
      entry.resolved === undefined || entry.link ? [] : [`${file.path}:1 ${path} is resolved to a host`]
    const optional = Object.keys(entry.optionalDependencies ?? {})
    const gaps = optional.filter((name) => !installed.has(name)).map((name) => `${file.path}:1 lacks ${name}`)
    return [...hosts, ...gaps]
  })
}
