import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cache = fileURLToPath(new URL('../../../.cache/bench', import.meta.url))

/** Fetches a package of data that only a bench needs, because it is large. Returns its folder. */
export function fetchPackage(name: string, version: string): string {
  const prefix = join(cache, `${name.replaceAll('/', '-')}-${version}`)
  const folder = join(prefix, 'node_modules', name)
  const options = ['--prefix', prefix, '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
  if (!existsSync(folder))
    execFileSync('npm', ['install', ...options, `${name}@${version}`], { stdio: 'ignore' })
  return folder
}
