/**
 * `npm test`: every check and every test. `npm test -- <files or options of vitest>` runs those tests only, without the
 * checks.
 */
import { spawnSync } from 'node:child_process'

const chosen = process.argv.slice(2)

function run(program, ...options) {
  const { status } = spawnSync(program, options, { stdio: 'inherit' })
  return status ?? 1
}

const checks = chosen.length === 0 ? run('npm', 'run', '-s', 'check') : 0
process.exitCode = checks === 0 ? run('vitest', 'run', ...chosen) : checks
