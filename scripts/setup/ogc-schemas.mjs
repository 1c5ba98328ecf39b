import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { inRoot } from './paths.mjs'
import { run } from './run.mjs'

const packages = inRoot('scripts/maven/pom.xml')
const unpack = inRoot('scripts/python/unpack_schemas.py')
const cache = inRoot('.cache')

/** Folder of the schemas of OGC; another one for other packages. */
function schemaFolder() {
  const hash = createHash('sha256')
  for (const file of [packages, unpack]) hash.update(readFileSync(file))
  return `${cache}/ogc-schemas-${hash.digest('hex').slice(0, 12)}`
}

/** Reports whether the schemas of OGC are there. */
export function areOgcSchemasFetched() {
  return existsSync(schemaFolder())
}

/**
 * Fetches the schemas of WFS, filters and GML from packages of Maven, complete or not at all.
 * @throws {Error} if they cannot be downloaded
 */
export async function fetchOgcSchemas() {
  const folder = schemaFolder()
  const [jars, draft] = [`${folder}.${process.pid}.packages`, `${folder}.${process.pid}`]
  const options = ['--quiet', '--batch-mode', `-DoutputDirectory=${jars}`]
  try {
    await run('mvn', [...options, '--file', packages, 'dependency:copy-dependencies'], { limitMs: 300_000 })
    await run('python3', [unpack, jars, draft])
    renameSync(draft, folder)
  } finally {
    for (const path of [jars, draft]) rmSync(path, { recursive: true, force: true })
  }
  for (const name of readdirSync(cache))
    if (name.startsWith('ogc-schemas-') && `${cache}/${name}` !== folder)
      rmSync(`${cache}/${name}`, { recursive: true, force: true })
}
