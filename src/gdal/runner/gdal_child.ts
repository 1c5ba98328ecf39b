import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { problem } from '../../contract/problems.ts'
import { type Frames, readFrames } from './frames.ts'
import type { Job } from './vector_job.ts'

/** A child process, and the frames that it sends. */
export interface GdalChild {
  readonly child: ChildProcess
  readonly watch: Watch
  readonly frames: Frames
}

/** Message of a child process after a job. */
export interface JobEnd {
  /**
   * Whether it may take another job: only a process that has not loaded GDAL, since what a damaged file did to GDAL must not
   * affect the next file.
   */
  readonly isReusable: boolean
}

/** Options for starting a job. */
export interface JobOptions extends WatchOptions {
  /** Whether the job reads the input of its process. */
  readonly hasInput: boolean
}

/** A job that runs in a child process. */
export interface RunningJob extends GdalChild {
  /** Waits for the end of the job; undefined if the process ended. */
  readonly ended: Promise<JobEnd | undefined>
}

const entry = fileURLToPath(new URL(`../child${extname(import.meta.url)}`, import.meta.url))

/** Processes that wait for another job. */
const idle = new Set<GdalChild>()
const idleLimitMs = 5_000

/** Limits of a job of a child process. */
interface WatchOptions {
  readonly signal: AbortSignal | undefined
  /** Maximum milliseconds to wait for progress. */
  readonly stallTimeoutMs: number
}

/** Control of a child process: kills it on request, on a time limit, or when it is no longer needed. */
interface Watch {
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

/** Starts a job in an idle child process, or else in a new one. */
export function startJob(job: Job, { hasInput, ...limits }: JobOptions): RunningJob {
  const taken = (hasInput ? undefined : takeIdle()) ?? startChild(hasInput)
  const { child, watch } = taken
  watch.begin(limits)
  const ended = Promise.race([
    new Promise<JobEnd>((resolve) => child.once('message', resolve)),
    watch.exited.then(() => undefined),
  ])
  child.send(job)
  return { ...taken, ended }
}

/** Keeps the process of a completed job for the next, or else ends it. */
export async function releaseChild({ child, watch, frames, ended }: RunningJob): Promise<void> {
  const end = await watch.wait(ended)
  if (end?.isReusable !== true) return watch.end()
  watch.rest()
  const resting = { child, watch, frames }
  idle.add(resting)
  setReferenced(child, false)
  setTimeout(() => {
    if (idle.delete(resting)) void watch.end()
  }, idleLimitMs).unref()
}

/** Ends the processes that wait for another job. */
export async function endIdleChildren(): Promise<void> {
  const children = [...idle]
  idle.clear()
  await Promise.all(children.map(({ watch }) => watch.end()))
}

function takeIdle(): GdalChild | undefined {
  for (const resting of idle) {
    idle.delete(resting)
    if (!resting.child.connected) continue
    setReferenced(resting.child, true)
    return resting
  }
  return undefined
}

function startChild(hasInput: boolean): GdalChild {
  // The memory limit of Node stays at its default, since GDAL allocates memory outside of it.
  const child = fork(entry, [], {
    stdio: [hasInput ? 'pipe' : 'ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  })
  const watch = watchChild(child)
  return { child, watch, frames: readFrames(child.stdio[3] as Readable, watch.wait) }
}

/** Decides whether this process waits for a child: an idle one must not keep it running. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  const handles = [child, child.channel, child.stderr as Socket | null, child.stdio[3] as Socket]
  for (const handle of handles) {
    if (isReferenced) handle?.ref()
    else handle?.unref()
  }
}

/** Watches a child process. */
function watchChild(child: ChildProcess): Watch {
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
