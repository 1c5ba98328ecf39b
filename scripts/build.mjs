/** Builds the published files into `dist/`: the program as JavaScript, its validators, SQL and other assets, and the browser code. */
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { writeValidators } from './build/validators.ts'
import { inRoot, root } from './setup/paths.mjs'

// Removes the output of earlier builds.
rmSync(inRoot('dist'), { recursive: true, force: true })
runScript('node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json')
copyAssets()
await writeValidators(inRoot('dist'))
runScript('scripts/bundle.mjs')
runScript('scripts/build-web.mjs', 'dist/web')

/** Copies all files but code; one that would replace compiled code fails the build. The browser code is built separately. */
function copyAssets() {
  for (const path of readdirSync(inRoot('src'), { recursive: true })) {
    const isAsset = extname(path) !== '' && extname(path) !== '.ts' && !/^web[/\\]/.test(path)
    if (isAsset) cpSync(inRoot(`src/${path}`), inRoot(`dist/${path}`), { force: false, errorOnExist: true })
  }
}

/** Runs a script; if it fails, exits with its exit code. */
function runScript(path, ...args) {
  const { status } = spawnSync(process.execPath, [inRoot(path), ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
