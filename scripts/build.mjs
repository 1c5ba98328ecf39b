/** Builds what is published into `dist/`: the program as JavaScript, its SQL and other assets, and the pages' code. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { extname, relative, sep } from 'node:path'
import { inRoot, root } from './setup/paths.mjs'

const run = (script, ...args) =>
  execFileSync(process.execPath, [inRoot(script), ...args], { cwd: root, stdio: 'inherit' })

// Compiled from what is here now, without what an earlier build left.
rmSync(inRoot('dist'), { recursive: true, force: true })
run('node_modules/typescript/bin/tsc', '--project', 'tsconfig.build.json')

// What the program reads beside itself: everything that is not code. The pages' sources are built below.
cpSync(inRoot('src'), inRoot('dist'), {
  recursive: true,
  filter: (path) => {
    const inside = relative(inRoot('src'), path).split(sep)
    return inside[0] !== 'web' && extname(path) !== '.ts'
  },
})

if (existsSync(inRoot('scripts/build-web.mjs'))) run('scripts/build-web.mjs')
