import { readFileSync } from 'node:fs'
import { installLocked } from './npm.mjs'
import { inRoot, root } from './paths.mjs'

/** Reports whether npm's record of node_modules matches the lock file. */
export function arePackagesInstalled() {
  const installed = readPackages('node_modules/.package-lock.json')
  if (installed === undefined) return false
  const locked = Object.entries(readPackages('package-lock.json') ?? {}).filter(([path]) => path !== '')
  return locked.every(([path, entry]) => {
    const found = installed[path]
    // Optional packages for other platforms are only in the lock file.
    if (found === undefined) return entry.optional === true
    return found.version === entry.version && found.integrity === entry.integrity
  })
}

/** Installs the packages of the clone. Deletes node_modules first, like `npm ci`. */
export const installPackages = () => installLocked(root)

function readPackages(path) {
  try {
    return JSON.parse(readFileSync(inRoot(path), 'utf8')).packages
  } catch {
    return undefined
  }
}
