import { run } from './run.mjs'

/**
 * Installs exactly what the lock file in a folder says. No install script runs: the one that is needed, gdal-async's,
 * is a step of its own. npm runs on the Node it was started with, because the link that stands in for an old one
 * lies in the folder that npm is about to replace.
 */
export async function installLocked(folder) {
  const args = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--loglevel=error']
  const { npm_execpath: npm, npm_node_execpath: node = process.execPath } = process.env
  const isNpm = npm !== undefined && /npm-cli\.c?js$/.test(npm)
  const [command, first] = isNpm ? [node, [npm]] : ['npm', []]
  await run(command, [...first, ...args], { cwd: folder, env: cleanEnvironment() })
}

/**
 * The environment without what an outer `npm run` says about itself: its folder would win over ours, and its
 * `nodedir` over the headers of the Node that we build for.
 */
export function cleanEnvironment() {
  const env = { ...process.env }
  for (const name of Object.keys(env)) {
    if (/^npm_(config_(local_prefix|nodedir|dry_run|omit|only|production)|package_|lifecycle_)/i.test(name))
      delete env[name]
  }
  return env
}
