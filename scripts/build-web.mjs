/**
 * Bundles the browser code of the pages: `node scripts/build-web.mjs [folder]`, by default into `.cache/web`.
 *
 * The bundle is written to a folder named by its digest; `current.json`, written last, names that folder, so a running
 * server finds either the old or the new bundle. It lists the sources with their digest, by which the server notices that they have
 * changed. Does nothing if the sources are unchanged.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { inRoot } from './setup/paths.mjs'

/** Sources of the bundle: the code of the pages, the folders it imports, and the package versions. */
const sources = ['src/web', 'src/style', 'src/geo', 'src/contract']
const sourceFiles = ['package.json', 'scripts/build-web.mjs']

/** Reports whether the bundle in the folder is up to date, or there are no sources to build. */
export function isWebBuilt(folder = inRoot('.cache/web')) {
  if (!existsSync(inRoot('src/web'))) return true
  const current = readCurrent(folder)
  return (
    current !== undefined && current.sources === hashSources() && existsSync(join(folder, current.version))
  )
}

/** Builds the bundle into the folder and returns its digest. */
export async function buildWeb(folder = inRoot('.cache/web')) {
  const digest = hashSources()
  const files = await bundle()
  const version = hash(files.flatMap(({ name, contents }) => [name, contents])).slice(0, 16)
  mkdirSync(join(folder, version), { recursive: true })
  for (const { name, contents } of files) {
    writeFileSync(join(folder, version, name), contents)
    writeFileSync(join(folder, version, `${name}.br`), brotliCompressSync(contents))
  }
  const draft = join(folder, `current-${process.pid}.json`)
  writeFileSync(draft, JSON.stringify({ version, sources: digest, files: listSources() }))
  const earlier = readCurrent(folder)?.version
  renameSync(draft, join(folder, 'current.json'))
  removeOld(folder, [version, earlier])
  return version
}

async function bundle() {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    entryPoints: [
      { in: inRoot('src/web/main.ts'), out: 'page' },
      { in: inRoot('src/web/page.css'), out: 'page' },
      { in: inRoot('src/web/catalog.ts'), out: 'catalog' },
      { in: inRoot('src/web/catalog/geoservice.ts'), out: 'geoservice' },
      { in: inRoot('src/web/service.ts'), out: 'service' },
    ],
    absWorkingDir: inRoot(''),
    outdir: 'out',
    bundle: true,
    write: false,
    format: 'esm',
    target: ['chrome115', 'firefox115', 'safari17'],
    minify: true,
    legalComments: 'none',
    banner: { js: '/* OpenLayers: https://openlayers.org, BSD 2-Clause. */' },
    logLevel: 'warning',
  })
  return outputFiles.map(({ path, contents }) => ({ name: basename(path), contents }))
}

// Keeps the previous bundle: a page loaded before may still request it.
function removeOld(folder, kept) {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )) {
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

function hashSources() {
  return hash(listSources().flatMap((path) => [path, readFileSync(inRoot(path))]))
}

function listSources() {
  const files = sources.flatMap((folder) =>
    readdirSync(inRoot(folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(inRoot(''), join(entry.parentPath ?? entry.path, entry.name))),
  )
  return [...files, ...sourceFiles].sort()
}

function hash(parts) {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part).update('\0')
  return sum.digest('hex')
}

function readCurrent(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8'))
  } catch {
    return undefined
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? inRoot('.cache/web'))
  if (!isWebBuilt(folder)) await buildWeb(folder)
}
