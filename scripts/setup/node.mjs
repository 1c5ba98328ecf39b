import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, relative } from 'node:path'
import { installLocked } from './npm.mjs'
import { inRoot, linkedNode, oldestNode } from './paths.mjs'
import { run, succeeds } from './run.mjs'

const folder = inRoot('scripts/node')
const name = `node-${process.platform}-${process.arch}`

/** The folder of the Node that comes from npm: `bin/node` and the headers to build against it. */
export const nodePrefix = `${folder}/node_modules/${name}`

/** True where the system's own Node is too old: the one that runs this, unless that is already ours. */
export function needsOwnNode() {
  return Number.parseInt(process.versions.node, 10) < oldestNode || isOwn(process.execPath)
}

/** True when the Node of the lock file is installed and linked where package scripts find it first. */
export function isNodeLinked() {
  return existsSync(linkedNode) && isOwn(linkedNode) && installedVersion() === lockedVersion()
}

/**
 * Installs Node from npm and links it.
 * @throws {Error} with advice where npm has none for this system, or where it does not run
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

/** The Node that package scripts get, and the number of its binary interface. */
export async function describeNode() {
  const linked = needsOwnNode()
  const binary = linked ? linkedNode : process.execPath
  const abi = (await run(binary, ['-p', 'process.versions.modules'])).trim()
  return { linked, binary, abi }
}

const advice = `Install Node ${oldestNode} or newer (https://nodejs.org) and call this again.`

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
