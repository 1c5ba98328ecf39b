import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { type Frames, readFrames } from './frames.ts'
import type { Job } from './vector_job.ts'
import { type Watch, type WatchOptions, watchChild } from './watch.ts'

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
