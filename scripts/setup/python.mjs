import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { inRoot } from './paths.mjs'
import { run } from './run.mjs'

const requirements = inRoot('scripts/python/requirements.txt')
const cache = inRoot('.cache')

/** Folder of the Python packages of the tests; another one for other requirements. */
export function pythonFolder() {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  return `${cache}/python-${digest}`
}

/** Reports whether the Python packages of the tests are installed. */
export function arePythonPackagesInstalled() {
  return existsSync(pythonFolder())
}

/**
 * Installs the Python packages of the tests into a folder of their own, complete or not at all.
 * @throws {Error} if they cannot be downloaded
 */
export async function installPythonPackages() {
  const folder = pythonFolder()
  const draft = `${folder}.${process.pid}`
  // Complete packages of fixed versions, without a search for what they require.
  const options = [
    '--quiet',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--disable-pip-version-check',
    '--no-input',
  ]
  try {
    await run('python3', ['-m', 'pip', 'install', ...options, '--target', draft, '-r', requirements], {
      limitMs: 300_000,
    })
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  for (const name of readdirSync(cache))
    if (name.startsWith('python-') && `${cache}/${name}` !== folder)
      rmSync(`${cache}/${name}`, { recursive: true, force: true })
}
