/** Runs the main job in a process of its own, twice: on a fresh data folder, and on the one it left. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { report, timed } from './support/report.ts'

const limitSeconds = 60
const folder = mkdtempSync(join(tmpdir(), 'landform-bench-'))

/** What `npm start -- --once` runs after the set-up, with data and files of its own. */
function runMainJob(): Promise<string> {
  const words = [
    'start',
    'manifests/world.yaml',
    '--run',
    'pipelines/cities.yaml',
    '--run',
    'pipelines/snapshot.yaml',
  ]
  const place = ['--once', '--data', join(folder, 'data'), '--listen', '127.0.0.1:0']
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['src/cli/main.ts', ...words, ...place], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`the main job ended with ${code}`)),
    )
  })
}

try {
  const first = await timed(runMainJob)
  console.log(first.value)
  const isEmpty = / 0 changes,/.test(first.value)
  report({
    name: 'main job, fresh data folder, embedded',
    value: `${first.seconds.toFixed(1)} s, second plan ${isEmpty ? 'empty' : 'NOT empty'}`,
    promised: `under ${limitSeconds} s`,
    isKept: first.seconds < limitSeconds && isEmpty,
  })
  const second = await timed(runMainJob)
  console.log(second.value)
  report({
    name: 'main job, second time',
    value: `${second.seconds.toFixed(1)} s`,
    promised: 'seconds',
    isKept: second.seconds < 15,
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
