/**
 * `npm test` runs all checks and tests. `npm test -- <files or vitest options>` runs only those tests, without the
 * checks.
 */
import { spawnSync } from 'node:child_process'

const vitestArgs = process.argv.slice(2)

function run(program, ...options) {
  // Workers start hundreds of processes: the less memory they have, the faster. Without a limit, glibc keeps some for each thread.
  const env = { MALLOC_ARENA_MAX: '2', ...process.env }
  const { status } = spawnSync(program, options, { stdio: 'inherit', env })
  return status ?? 1
}

const checks = vitestArgs.length === 0 ? run('npm', 'run', '-s', 'check') : 0
process.exitCode = checks === 0 ? run('vitest', 'run', ...vitestArgs) : checks
