import type { ChildProcess } from 'node:child_process'
import { problem } from '../../contract/problems.ts'

/** Limits of a job of a child process. */
export interface WatchOptions {
  readonly signal: AbortSignal | undefined
  /** Maximum milliseconds to wait for progress. */
  readonly stallTimeoutMs: number
}

/** Control of a child process: kills it on request, on a time limit, or when it is no longer needed. */
export interface Watch {
  /** Sets the limits of the next job. */
  begin(limits: WatchOptions): void
  /** Ends the limits of a job. */
  rest(): void
  /** Waits for the child; kills it after the time limit, which ends its streams. */
  wait<T>(work: Promise<T>): Promise<T>
  /** Kills the child if it still runs, and waits for its exit. */
  end(): Promise<void>
  /** Returns why the child was killed or crashed; undefined for a normal exit. */
  findReason(): unknown
  /** Resolves when the process has ended. */
  readonly exited: Promise<void>
}

/** Number of characters of the error output that are kept. */
const errorOutputLength = 2000

/** Watches a child process. */
export function watchChild(child: ChildProcess): Watch {
  let limits: WatchOptions | undefined
  let reason: unknown
  let errorOutput = ''
  let isKilled = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, deadly) => {
      if (code !== 0 && !(isKilled && deadly === 'SIGKILL'))
        reason ??= crashed(deadly ?? `exit code ${code}`, errorOutput)
      resolve()
    })
    child.once('error', (cause) => {
      reason ??= problem('gdal/failed', `the GDAL process cannot be started: ${cause.message}`, { cause })
      if (child.pid === undefined) resolve()
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-errorOutputLength)
  })
  const kill = (why?: unknown) => {
    reason ??= why
    isKilled = child.kill('SIGKILL')
  }
  const abort = () => kill(limits?.signal?.reason)
  const rest = () => {
    limits?.signal?.removeEventListener('abort', abort)
    limits = undefined
  }
  return {
    exited,
    begin(given) {
      limits = given
      given.signal?.addEventListener('abort', abort, { once: true })
    },
    rest,
    async wait(work) {
      if (limits === undefined) return work
      const { stallTimeoutMs } = limits
      const seconds = Math.round(stallTimeoutMs / 1000)
      const timer = setTimeout(
        () => kill(problem('gdal/failed', `GDAL made no progress for ${seconds} s and was stopped`)),
        stallTimeoutMs,
      )
      try {
        return await work
      } finally {
        clearTimeout(timer)
      }
    },
    async end() {
      rest()
      if (child.exitCode === null && child.signalCode === null) kill()
      await exited
    },
    findReason: () => reason,
  }
}

function crashed(how: string, errorOutput: string): Error {
  return problem('gdal/failed', `the GDAL process ended unexpectedly: ${how}`, {
    ...(errorOutput.trim() === '' ? {} : { detail: errorOutput.trim() }),
  })
}
