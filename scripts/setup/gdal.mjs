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
 * Returns the GDAL version of gdal-async, or undefined if it does not load.
 * @param {{binary: string}} node the Node to load it in
 */
export async function loadedGdal(node) {
  const output = await run(node.binary, ['-p', 'require("gdal-async").version'], { cwd: root }).catch(
    () => undefined,
  )
  return output?.trim()
}

/** Restores a binary of an earlier build from the cache, if one loads. */
export async function restoreGdal(node) {
  if (!existsSync(cache)) return undefined
  for (const key of readdirSync(cache).filter((name) => name.startsWith(`${keyPrefix(node)}-`))) {
    place(`${cache}/${key}/gdal.node`, bindingOf(node))
    const version = await loadedGdal(node)
    if (version !== undefined) return version
  }
  return undefined
}

/** Downloads the published binary of gdal-async. Limits: 20 seconds to start, five minutes to finish. */
export async function downloadGdal(node) {
  const limits = { limitMs: 20_000, sign: /unpacking/, limitAfterSignMs: 300_000 }
  await runPreGyp(node, ['install'], limits)
  return keep(node)
}

/** Installs missing build dependencies. */
export async function installBuildPackages() {
  const missing = await missingPackages(buildPackages)
  if (missing.length > 0) await installPackages(missing)
}

/** Builds against the system's GDAL: one to three minutes. */
export async function buildGdal(node) {
  const headers = node.linked ? [`--nodedir=${nodePrefix}`] : systemHeaders()
  await runPreGyp(node, ['install', '--build-from-source', '--shared_gdal', ...headers, '-j', 'max'])
  // Removes 11 MB of object files.
  rmSync(`${folder}/build`, { recursive: true, force: true })
  return keep(node)
}

/** Checks that the new binary loads, and copies it to the cache, which `npm ci` does not delete. */
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

// An unpacked Node includes its headers; otherwise node-gyp downloads them from nodejs.org.
function systemHeaders() {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(`${prefix}/include/node/node.h`) ? [`--nodedir=${prefix}`] : []
}

const bindingOf = ({ abi }) =>
  `${folder}/lib/binding/node-v${abi}-${process.platform}-${process.arch}/gdal.node`

const keyPrefix = ({ abi }) =>
  `${JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version}-abi${abi}-${process.platform}-${process.arch}`

// Renamed into place: a truncated copy would fail with misleading errors.
function place(from, to) {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, `${to}.new`)
  renameSync(`${to}.new`, to)
}
