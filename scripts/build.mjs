/** Builds what is published into `dist/`: the program as JavaScript, its SQL and other assets, and the pages' code. */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { inRoot, root } from './setup/paths.mjs'

// Compiled from what is here now, without what an earlier build left.
rmSync(inRoot('dist'), { recursive: true, force: true })
runScript('node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json')
copyAssets()
runScript('scripts/build-web.mjs', 'dist/web')

/** What the program reads beside itself: all that is not code. The pages' sources have a build of their own. */
function copyAssets() {
  for (const path of readdirSync(inRoot('src'), { recursive: true })) {
    const isAsset = extname(path) !== '' && extname(path) !== '.ts' && !/^web[/\\]/.test(path)
    if (isAsset) cpSync(inRoot(`src/${path}`), inRoot(`dist/${path}`))
  }
}

/** Ends the build with the script's own exit code when it fails: it has said why. */
function runScript(path, ...args) {
  const { status } = spawnSync(process.execPath, [inRoot(path), ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
