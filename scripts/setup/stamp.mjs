import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { inRoot, linkedNode } from './paths.mjs'

// In node_modules, so that it is deleted together with the packages.
const stampFile = inRoot('node_modules/.landform-setup.json')

/**
 * Inputs and results of the last completed set-up.
 * @typedef {{inputs: string, abi: string, linked: boolean, gdal: boolean}} Stamp
 */

/** Reports whether the last set-up had the same inputs and its linked Node exists; tests also need GDAL. */
export function isSetUp({ forTests }) {
  const stamp = readStamp()
  if (stamp === undefined || stamp.inputs !== hashInputs()) return false
  if (forTests && !stamp.gdal) return false
  return stamp.linked ? existsSync(linkedNode) : stamp.abi === process.versions.modules
}

/** Records a completed set-up. Called last, so that an interrupted set-up runs again. */
export function writeStamp(found) {
  writeFileSync(stampFile, JSON.stringify({ inputs: hashInputs(), ...found }))
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return undefined
  }
}

/** Hashes all inputs of the set-up. */
function hashInputs() {
  const own = readdirSync(inRoot('scripts/setup')).sort()
  const files = ['package.json', 'package-lock.json', 'scripts/setup.mjs', 'scripts/node/package-lock.json']
  const hash = createHash('sha256')
  for (const file of [...files, ...own.map((name) => `scripts/setup/${name}`)]) {
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(inRoot(file)))
      .update('\0')
  }
  return hash.digest('hex')
}
