import { run } from './run.mjs'

/**
 * Installs the packages of the lock file in a folder. Runs no install scripts: the only one needed, that of gdal-async,
 * is a separate step. npm runs on the Node it was started with, because the link to the Node from npm is in the folder
 * that npm replaces.
 */
export async function installLocked(folder) {
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--loglevel=error']
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env
  const isNpm = npm !== undefined && /npm-cli\.c?js$/.test(npm)
  const [command, first] = isNpm ? [node, [npm]] : ['npm', []]
  await run(command, [...first, ...args], { cwd: folder, env: cleanEnvironment() })
}

/**
 * Returns the environment without the variables of an outer `npm run`: its folder would override ours, and its
 * `nodedir` the headers of the target Node.
 */
export function cleanEnvironment() {
  const env = { ...process.env }
  for (const name of Object.keys(env)) {
    if (/^npm_(config_(local_prefix|nodedir|dry_run|omit|only|production)|package_|lifecycle_)/i.test(name))
      delete env[name]
  }
  return env
}
