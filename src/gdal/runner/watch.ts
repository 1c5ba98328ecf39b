import type { ChildProcess } from 'node:child_process'
import { problem } from '../../contract/problems.ts'

/** Limits of a child process. */
export interface WatchOptions {
  readonly signal: AbortSignal | undefined
  /** Most milliseconds to wait for a sign of life. */
  readonly stallTimeoutMs: number
}

/** A child process that ends when it is told to, hangs, or is not needed any more. */
export interface Watch {
  /** Waits for the child; past the time limit the child is killed, which ends its streams. */
  wait<T>(work: Promise<T>): Promise<T>
  /** Kills the child if it still runs, and waits until it is gone. */
  end(): Promise<void>
  /** Once the child is gone: why, where that was not its own wish. */
  findReason(): unknown
}

/** Bytes of the last words of a child that are kept. */
const lastWordsLength = 2000

/** Watches a child process. */
export function watchChild(child: ChildProcess, { signal, stallTimeoutMs }: WatchOptions): Watch {
  let reason: unknown
  let lastWords = ''
  let isKilled = false
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, deadly) => {
      if (code !== 0 && !(isKilled && deadly === 'SIGKILL'))
        reason ??= crashed(deadly ?? `exit code ${code}`, lastWords)
      resolve()
    })
    child.once('error', (cause) => {
      reason ??= problem('gdal/failed', `the process of GDAL cannot be started: ${cause.message}`, { cause })
      if (child.pid === undefined) resolve()
    })
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsLength)
  })
  const kill = (why?: unknown) => {
    reason ??= why
    isKilled = child.kill('SIGKILL')
  }
  const abort = () => kill(signal?.reason)
  signal?.addEventListener('abort', abort, { once: true })
  return {
    async wait(work) {
      const seconds = Math.round(stallTimeoutMs / 1000)
      const timer = setTimeout(
        () => kill(problem('gdal/failed', `GDAL gave no sign of life for ${seconds} s and was stopped`)),
        stallTimeoutMs,
      )
      try {
        return await work
      } finally {
        clearTimeout(timer)
      }
    },
    async end() {
      signal?.removeEventListener('abort', abort)
      if (child.exitCode === null && child.signalCode === null) kill()
      await exited
    },
    findReason: () => reason,
  }
}

function crashed(how: string, lastWords: string): Error {
  return problem('gdal/failed', `the process of GDAL ended unexpectedly: ${how}`, {
    ...(lastWords.trim() === '' ? {} : { detail: lastWords.trim() }),
  })
}
