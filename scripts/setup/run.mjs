import { spawn } from 'node:child_process'
import { root } from './paths.mjs'

/** A program failed, timed out or could not be started; the message contains the start and the end of its output. */
export class RunError extends Error {}

/**
 * Runs a program without a terminal and returns its output.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, limitMs?: number, sign?: RegExp, limitAfterSignMs?: number}} options
 *   `limitMs` is a time limit for the program and its children; once the output matches `sign`, `limitAfterSignMs` applies.
 * @returns {Promise<string>} interleaved stdout and stderr
 * @throws {RunError}
 */
export function run(command, args, options = {}) {
  const { cwd = root, env = process.env, limitMs, sign, limitAfterSignMs } = options
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let stopped = false
  let timer
  const stop = () => {
    stopped = true
    killGroup(child.pid)
  }
  const limit = (ms) => {
    clearTimeout(timer)
    if (ms !== undefined) timer = setTimeout(stop, ms)
  }
  const onData = (data) => {
    const hadSign = sign?.test(output)
    output += data
    if (sign !== undefined && !hadSign && sign.test(output)) limit(limitAfterSignMs)
  }
  const interrupt = () => {
    stop()
    process.exit(130)
  }
  limit(limitMs)
  child.stdout.on('data', onData)
  child.stderr.on('data', onData)
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  return new Promise((resolve, reject) => {
    const settle = (fault) => {
      clearTimeout(timer)
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      if (fault === undefined) resolve(output)
      else reject(new RunError(`${[command, ...args].join(' ')} ${fault}\n${shorten(output)}`))
    }
    child.once('error', (error) => settle(`could not be started: ${error.message}`))
    child.once('close', (code, signal) => {
      if (stopped) settle('exceeded its time limit')
      else settle(code === 0 ? undefined : `exited with ${signal ?? `code ${code}`}`)
    })
  })
}

/** Reports whether the program exits with code 0. */
export async function succeeds(command, args, options) {
  return run(command, args, options).then(
    () => true,
    () => false,
  )
}

// Kills the entire process group: a build runs make and several compilers.
function killGroup(pid) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already exited.
  }
}

// npm prints its error first, a compiler last.
function shorten(text) {
  const lines = text.trimEnd().split('\n')
  return lines.length <= 40 ? lines.join('\n') : [...lines.slice(0, 15), '…', ...lines.slice(-20)].join('\n')
}
