import { readFileSync } from 'node:fs'
import { installLocked } from './npm.mjs'
import { inRoot, root } from './paths.mjs'

/** True when npm's own record of node_modules agrees with the lock file, as after `npm install <new package>`. */
export function arePackagesInstalled() {
  const installed = readPackages('node_modules/.package-lock.json')
  if (installed === undefined) return false
  const wanted = Object.entries(readPackages('package-lock.json') ?? {}).filter(([path]) => path !== '')
  return wanted.every(([path, entry]) => {
    const found = installed[path]
    // Optional packages of other systems are in the lock file only.
    if (found === undefined) return entry.optional === true
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

/** Installs the packages of the clone. Deletes node_modules first, as `npm ci` does. */
export const installPackages = () => installLocked(root)

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(inRoot(path), 'utf8')).packages
  } catch {
    return undefined
  }
}
