import { spawn } from 'node:child_process'
import { root } from './paths.mjs'

/** A program that could not be started, failed, or was stopped; its message holds what it printed, without the middle. */
export class RunError extends Error {}

/**
 * Runs a program without a terminal and gives what it printed.
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, limitMs?: number, sign?: RegExp, limitAfterSignMs?: number}} options
 *   `limitMs` stops the program and all its children; once its output matches `sign`, `limitAfterSignMs` counts.
 * @returns {Promise<string>} stdout and stderr, in the order they came
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
    const seen = sign?.test(output)
    output += data
    if (sign !== undefined && !seen && sign.test(output)) limit(limitAfterSignMs)
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
      if (stopped) settle('took too long and was stopped')
      else settle(code === 0 ? undefined : `ended with ${signal ?? `exit code ${code}`}`)
    })
  })
}

/** True when the program ends well; its output is of no interest. */
export async function succeeds(command, args, options) {
  return run(command, args, options).then(
    () => true,
    () => false,
  )
}

// A build is make, the compiler and its parts: stopping only the first would leave the others at work.
function killGroup(pid) {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It had ended by itself.
  }
}

// npm says first what is wrong, a compiler last.
function shorten(text) {
  const lines = text.trimEnd().split('\n')
  return lines.length <= 40 ? lines.join('\n') : [...lines.slice(0, 15), '…', ...lines.slice(-20)].join('\n')
}
