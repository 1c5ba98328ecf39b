import type { ChildProcess } from 'node:child_process'
import PQueue from 'p-queue'
import { type ProblemCode, problem } from '../../contract/problems.ts'
import { type Frame, type Frames, readJson } from './frames.ts'
import { releaseChild, startJob } from './gdal_child.ts'
import { hasGdal } from './gdal_module.ts'
import type { Job, WireProblem } from './vector_job.ts'

/** Options for running a child process. */
export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Maximum milliseconds without progress. GDAL reports none while it opens a file. */
  readonly stallTimeoutMs?: number
  /** Maximum milliseconds from start to end. */
  readonly longestMs?: number
  /** Writes the input of the child; `write` waits until the child accepts more. */
  readonly feed?: (write: (chunk: Uint8Array) => Promise<void>) => Promise<void>
}

/** Each child process takes a core and some hundred megabytes. */
const pool = new PQueue({ concurrency: 2 })

const defaultStallTimeoutMs = 15 * 60_000

/**
 * Runs a job in a child process, which ends with this call if it fails or has loaded GDAL; otherwise the next call uses it, if it
 * comes within seconds. At most two jobs run at once; further calls wait.
 *
 * @param use reads the frames of the child, and returns the result of this call
 * @throws {Problem} gdal/missing, gdal/failed if GDAL crashed or hung; the reason of the signal
 */
export async function runInChild<T>(
  job: Job,
  use: (frames: Frames) => Promise<T>,
  options: RunOptions,
): Promise<T> {
  if (!hasGdal()) throw problem('gdal/missing', 'reading data needs gdal-async, which is not installed')
  return pool.add(() => run(job, use, options))
}

async function run<T>(
  job: Job,
  use: (frames: Frames) => Promise<T>,
  { signal: given, stallTimeoutMs = defaultStallTimeoutMs, longestMs, feed }: RunOptions,
): Promise<T> {
  given?.throwIfAborted()
  using limit = limitTime(longestMs)
  const signals = [given, limit?.signal].filter((one) => one !== undefined)
  const signal = AbortSignal.any(signals)
  const running = startJob(job, { signal, stallTimeoutMs, hasInput: feed !== undefined })
  const { child, watch, frames } = running
  let feeding: Promise<FeedResult> | undefined
  try {
    feeding = feed && feedChild(child, feed)
    // The child must not process incomplete input as complete.
    feeding?.then(({ fault }) => (fault === undefined ? undefined : watch.end()))
    const result = await use(frames)
    await releaseChild(running)
    return result
  } catch (error) {
    await watch.end()
    throw (await feeding)?.fault ?? watch.findReason() ?? error
  } finally {
    await feeding
  }
}

/** Result of feeding; without a fault if the child stopped reading. */
interface FeedResult {
  readonly fault?: unknown
}

async function feedChild(
  { stdin }: ChildProcess,
  feed: NonNullable<RunOptions['feed']>,
): Promise<FeedResult> {
  let isRefused = false
  // Each write reports its own error.
  stdin?.on('error', () => undefined)
  const write = (chunk: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      stdin?.write(chunk, (error) => {
        isRefused ||= error != null
        if (error) reject(error)
        else resolve()
      })
    })
  try {
    await feed(write)
    stdin?.end()
    return {}
  } catch (fault) {
    return isRefused ? {} : { fault }
  }
}

function limitTime(longestMs: number | undefined): ({ signal: AbortSignal } & Disposable) | undefined {
  if (longestMs === undefined) return undefined
  const stopper = new AbortController()
  const seconds = Math.round(longestMs / 1000)
  const stop = () =>
    stopper.abort(problem('gdal/failed', `GDAL worked for more than ${seconds} s and was stopped`))
  const timer = setTimeout(stop, longestMs)
  return { signal: stopper.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Progress of a child. */
export interface WireTick {
  /** Number of scanned features. */
  readonly features?: number
  /** Total number of features. */
  readonly total?: number
}

/** Reads the next frame that is not a progress report; throws if it is a problem. */
export async function nextFrame(frames: Frames, onTick?: (tick: WireTick) => void): Promise<Frame> {
  for (;;) {
    const frame = await frames.next()
    if (frame === undefined) throw problem('gdal/failed', 'the GDAL process ended before its work was done')
    if (frame.kind === 'problem') throw toProblem(await readJson<WireProblem>(frame))
    if (frame.kind !== 'tick') return frame
    const tick = await readJson<WireTick>(frame)
    onTick?.(tick)
  }
}

/** Reads the summary of a child, which must be the first frame. */
export async function readSummary<T>(frames: Frames, onTick?: (tick: WireTick) => void): Promise<T> {
  const frame = await nextFrame(frames, onTick)
  if (frame.kind !== 'summary') throw new Error(`a ${frame.kind} came before the summary`)
  return readJson<T>(frame)
}

function toProblem({ code, message, hint, detail, data }: WireProblem): Error {
  return problem(code as ProblemCode, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { detail }),
    ...(data === undefined ? {} : { data }),
  })
}
