/**
 * `npm test` runs all checks and tests. `npm test -- <files or vitest options>` runs only those tests, without the
 * checks.
 */
import { spawnSync } from 'node:child_process'

const vitestArgs = process.argv.slice(2)

function run(program, ...options) {
  const { status } = spawnSync(program, options, { stdio: 'inherit' })
  return status ?? 1
}

const checks = vitestArgs.length === 0 ? run('npm', 'run', '-s', 'check') : 0
process.exitCode = checks === 0 ? run('vitest', 'run', ...vitestArgs) : checks
