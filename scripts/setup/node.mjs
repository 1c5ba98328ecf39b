import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { installLocked } from './npm.mjs'
import { inRoot, linkedNode, oldestNode } from './paths.mjs'
import { run, succeeds } from './run.mjs'

const folder = inRoot('scripts/node')
const name = `node-${process.platform}-${process.arch}`

/** Folder of the Node from npm: `bin/node` and its headers. */
export const nodePrefix = `${folder}/node_modules/${name}`

/** Reports whether the Node of the system is too old, or the Node from npm runs this script. */
export function needsOwnNode() {
  return Number.parseInt(process.versions.node, 10) < oldestNode || isOwn(process.execPath)
}

/** Reports whether the locked Node version is installed and linked first on the path of package scripts. */
export function isNodeLinked() {
  return existsSync(linkedNode) && isOwn(linkedNode) && installedVersion() === lockedVersion()
}

/**
 * Installs Node from npm and links it.
 * @throws {Error} with advice if npm has no Node for this system, or if it does not run
 */
export async function linkNode() {
  if (lockedVersion() === undefined)
    throw new Error(`npm has no Node for ${process.platform} ${process.arch}.\n${advice}`)
  if (installedVersion() !== lockedVersion()) await installLocked(folder)
  const binary = `${nodePrefix}/bin/node`
  if (!(await succeeds(binary, ['--version'])))
    throw new Error(`The Node from npm does not run on this system.\n${advice}`)
  mkdirSync(dirname(linkedNode), { recursive: true })
  rmSync(linkedNode, { force: true })
  symlinkSync(relative(dirname(linkedNode), binary), linkedNode)
}

/** Returns the Node that package scripts use, and its ABI number. */
export async function describeNode() {
  const linked = needsOwnNode()
  const binary = linked ? linkedNode : process.execPath
  const abi = (await run(binary, ['-p', 'process.versions.modules'])).trim()
  return { linked, binary, abi }
}

const advice = `Install Node ${oldestNode} or newer (https://nodejs.org) and run this command again.`

const isOwn = (file) => realpathSync(file).startsWith(realpathSync(folder))

const lockedVersion = () =>
  readVersion(`${folder}/package-lock.json`, (lock) => lock.packages[`node_modules/${name}`]?.version)

const installedVersion = () => readVersion(`${nodePrefix}/package.json`, (about) => about.version)

function readVersion(file, pick) {
  try {
    return pick(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
