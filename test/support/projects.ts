import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The projects of the test suite, from the fastest to the slowest. `unit` needs nothing but Node. */
export const projects = ['unit', 'gdal', 'database', 'server', 'e2e', 'faults'] as const

/** Name of a project. */
export type Project = (typeof projects)[number]

/**
 * What a test file imports, itself or through other files of `test/`, decides which project it is in: the slowest one
 * whose sign is found.
 */
const signs: Readonly<Record<Exclude<Project, 'unit'>, RegExp>> = {
  gdal: /^gdal-async$|src\/gdal\/(.*\/)?(read|write|run|convert)(_\w+)?\.ts$|support\/(exports|raster|shapefile|read_vector)\.ts$/,
  database: /support\/(drivers|embedded|postgres|sql)\.ts$|src\/database\/(pglite|postgres)\.ts$/,
  server: /support\/server\.ts$|src\/server\/server\.ts$/,
  e2e: /^test\/(e2e\/|package\.|setup\.)|support\/(browser|story)\.ts$/,
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
  const matches = (sign: RegExp) => [path, ...imported].some((one) => sign.test(one))
  return projects.findLast((name) => name !== 'unit' && matches(signs[name])) ?? 'unit'
}

/** All that a file of `test/` imports, as paths from the root, or as names of packages. */
function listImports(path: string, found = new Set<string>()): Set<string> {
  for (const [, specifier = ''] of readFileSync(join(root, path), 'utf8').matchAll(importPattern)) {
    const to = specifier.startsWith('.') ? resolve('/', dirname(path), specifier).slice(1) : specifier
    if (found.has(to)) continue
    found.add(to)
    // An import that leads nowhere is for the compiler to report.
    if (to.startsWith('test/') && existsSync(join(root, to))) listImports(to, found)
  }
  return found
}

// Imports of types are gone when a test runs.
const importPattern = /^(?:import|export)(?! type\b)[^'"]*?from '([^']+)'/gm
