import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { installPackages, missingPackages } from './apt.mjs'
import { nodePrefix } from './node.mjs'
import { cleanEnvironment } from './npm.mjs'
import { inRoot, root } from './paths.mjs'
import { run } from './run.mjs'

const folder = inRoot('node_modules/gdal-async')
const cache = inRoot('.cache/gdal-async')
const buildPackages = ['libgdal-dev', 'g++', 'make', 'python3']

/**
 * The version of GDAL that gdal-async loads with, or undefined when it does not load.
 * @param {{binary: string}} node the Node that it has to load in
 */
export async function loadedGdal(node) {
  const output = await run(node.binary, ['-p', 'require("gdal-async").version'], { cwd: root }).catch(
    () => undefined,
  )
  return output?.trim()
}

/** Puts back a binary that an earlier build left in the cache, if one loads here. */
export async function restoreGdal(node) {
  if (!existsSync(cache)) return undefined
  for (const key of readdirSync(cache).filter((name) => name.startsWith(`${keyPrefix(node)}-`))) {
    place(`${cache}/${key}/gdal.node`, bindingOf(node))
    const version = await loadedGdal(node)
    if (version !== undefined) return version
  }
  return undefined
}

/** Fetches the binary that gdal-async's authors publish. Twenty seconds to start, five minutes to end. */
export async function downloadGdal(node) {
  const limits = { limitMs: 20_000, sign: /unpacking/, limitAfterSignMs: 300_000 }
  await runPreGyp(node, ['install'], limits)
  return keep(node)
}

/** Installs what a build needs; says nothing to the system when it is there. */
export async function installBuildPackages() {
  const missing = await missingPackages(buildPackages)
  if (missing.length > 0) await installPackages(missing)
}

/** Builds against the system's GDAL: one to three minutes. */
export async function buildGdal(node) {
  const headers = node.linked ? [`--nodedir=${nodePrefix}`] : systemHeaders()
  await runPreGyp(node, ['install', '--build-from-source', '--shared_gdal', ...headers, '-j', 'max'])
  // Object files of 11 MB that nothing needs any more.
  rmSync(`${folder}/build`, { recursive: true, force: true })
  return keep(node)
}

/** Checks that the new binary loads and puts a copy where `npm ci` does not delete it. */
async function keep(node) {
  const version = await loadedGdal(node)
  if (version === undefined) throw new Error('gdal-async was installed but does not load')
  place(bindingOf(node), `${cache}/${keyPrefix(node)}-libgdal${version}/gdal.node`)
  return version
}

async function runPreGyp(node, args, limits) {
  const env = cleanEnvironment()
  env.PATH = `${dirname(node.binary)}:${env.PATH}`
  await run(node.binary, ['node_modules/.bin/node-pre-gyp', ...args], { cwd: folder, env, ...limits })
}

// A Node that was unpacked keeps its headers beside itself; without them node-gyp fetches them from nodejs.org.
function systemHeaders() {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(`${prefix}/include/node/node.h`) ? [`--nodedir=${prefix}`] : []
}

const bindingOf = ({ abi }) =>
  `${folder}/lib/binding/node-v${abi}-${process.platform}-${process.arch}/gdal.node`

const keyPrefix = ({ abi }) =>
  `${JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version}-abi${abi}-${process.platform}-${process.arch}`

// Renamed into place: a copy that is cut short would fail in ways that look like something else.
function place(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, `${to}.new`)
  renameSync(`${to}.new`, to)
}
