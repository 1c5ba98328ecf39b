import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The projects of the test suite, from the fastest to the slowest. `unit` requires only Node. */
export const projects = ['unit', 'gdal', 'database', 'server', 'e2e', 'faults'] as const

/** Name of a project. */
export type Project = (typeof projects)[number]

/**
 * Patterns of paths and packages by project. A test file belongs to the slowest project with a pattern that matches its
 * path or an import, direct or through other files of `test/`.
 */
const patterns: Readonly<Record<Exclude<Project, 'unit'>, RegExp>> = {
  gdal: /^gdal-async$|src\/gdal\/(.*\/)?(read|write|run|convert)(_\w+)?\.ts$|support\/(exports|raster|shapefile|read_vector)\.ts$/,
  database: /support\/(drivers|embedded|postgres|sql)\.ts$|src\/database\/(pglite|postgres)\.ts$/,
  server: /support\/(server|misbehaving)\.ts$|src\/server\/server\.ts$/,
  e2e: /^test\/(e2e\/|package\.|setup\.)|support\/(browser|story|mapserver|mapserver_image|tls_service)\.ts$/,
  faults: /support\/(killable|cluster|small_disk)\.ts$/,
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Paths of all test files, from the root of the repository, by project. */
export function sortTestFiles(): Record<Project, string[]> {
  const sorted: Record<Project, string[]> = {
    unit: [],
    gdal: [],
    database: [],
    server: [],
    e2e: [],
    faults: [],
  }
  for (const path of readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.test.ts')) sorted[projectOf(join('test', path))].push(join('test', path))
  return sorted
}

/** Finds the project of a test file. */
export function projectOf(path: string): Project {
  const imported = listImports(path)
  const matches = (pattern: RegExp) => [path, ...imported].some((one) => pattern.test(one))
  const found = projects.findLast((name) => name !== 'unit' && matches(patterns[name])) ?? 'unit'
  // A file that starts programs itself is no unit test, whatever they are.
  return found === 'unit' && importsOf(path).has('node:child_process') ? 'e2e' : found
}

/** Direct and transitive imports of a file of `test/`. */
function listImports(path: string, found = new Set<string>()): Set<string> {
  for (const to of importsOf(path)) {
    if (found.has(to)) continue
    found.add(to)
    // The compiler reports unresolved imports.
    if (to.startsWith('test/') && existsSync(join(root, to))) listImports(to, found)
  }
  return found
}

/** Direct imports of a file of `test/`, as paths from the root or package names. */
function importsOf(path: string): Set<string> {
  const specifiers = [...readFileSync(join(root, path), 'utf8').matchAll(importPattern)].map(
    ([, name = '']) => name,
  )
  return new Set(
    specifiers.map((name) => (name.startsWith('.') ? resolve('/', dirname(path), name).slice(1) : name)),
  )
}

// Type imports do not exist at run time.
const importPattern = /^(?:import|export)(?! type\b)[^'"]*?from '([^']+)'/gm
