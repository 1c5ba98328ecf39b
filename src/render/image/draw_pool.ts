import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { maxServiceDepth } from '../../contract/limits.ts'
import { type ProblemCode, problem } from '../../contract/problems.ts'
import { currentParty, Turns } from '../../database/turns.ts'
import { currentDepth } from '../../http/service_depth.ts'
import type { LabelFrame } from '../label/label_frame.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import type { LegendJob } from '../legend/legend_job.ts'
import type { DrawJob, DrawnImage, ProbeJob } from './draw_job.ts'

/** Work of a thread. */
export type PoolJob = DrawJob | LegendJob | ProbeJob

/** Draws images in worker threads: those of the caller with the least recent use first. */
export interface DrawPool {
  /**
   * Runs the preparation and drawing of an image in a turn of the caller. Images wait for their turns here, with nothing read
   * for them, and not for threads and connections that other requests need. The work takes no further turn of this kind.
   *
   * @throws {Problem} render/busy if too many images wait, render/failed; the reason of the signal; what the work throws
   */
  inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /**
   * Runs the fetching of images from other services, and then the work that uses them, in a turn of the caller for that: what
   * waits for another service has no turn to prepare or draw an image, which others need, such as the service itself if it
   * is this server. The work may take turns of the other kinds.
   *
   * @throws {Problem} as `inTurn`
   */
  whileFetching<T>(work: () => Promise<T>, image: FetchedImage): Promise<T>
  /**
   * Draws an image. The work ends when the signal is aborted.
   *
   * @throws {Problem} render/busy if too many images wait, render/timeout, render/too-large if memory is exhausted,
   *   render/failed if the thread ended, server/internal for an unexpected failure; the reason of the signal
   */
  draw(job: DrawJob | LegendJob, signal?: AbortSignal): Promise<DrawnImage>
  /**
   * Places the labels of the layers of a job in a frame, without drawing anything. The work ends when the signal is aborted.
   *
   * @throws {Problem} as `draw`
   */
  place(job: DrawJob, frame: LabelFrame, signal?: AbortSignal): Promise<readonly PlacedLabel[]>
  /**
   * Reads the values of the bands of a pixel of a raster; undefined outside of it.
   *
   * @throws {Problem} as `draw`
   */
  probe(job: ProbeJob, signal?: AbortSignal): Promise<readonly number[] | undefined>
  /** Ends all threads; running and waiting requests fail. */
  close(): Promise<void>
}

/** An image that shows images of other services. */
export interface FetchedImage {
  readonly width: number
  readonly height: number
  readonly signal?: AbortSignal
}

/** Limits of drawing. */
export interface DrawLimits {
  /** Maximum number of threads that a caller uses at the same time. Another one is reserved for other callers. */
  readonly threads?: number
  /** Maximum number of images of a caller that are prepared or drawn at the same time. As many are reserved for others. */
  readonly images?: number
  /** Maximum number of images of a caller up to the size of a screen for which others are fetched at the same time. */
  readonly fetches?: number
  /** Maximum number of waiting requests of a caller, and of all callers. */
  readonly waiting?: { readonly perParty: number; readonly total: number }
  /** Maximum milliseconds that a request waits for a thread. */
  readonly waitMs?: number
  /** Maximum milliseconds of an image. */
  readonly timeoutMs?: number
  /** Maximum memory of a thread in megabytes, without images and geometries, which have limits of their own. */
  readonly memoryMb?: number
}

/** A request to a thread. */
export interface DrawRequest {
  /** Greater than 0. */
  readonly number: number
  readonly job: PoolJob
  /** Frame whose labels are placed; undefined for drawing the job. */
  readonly frame?: LabelFrame | undefined
}

/** The reply of a thread. */
export interface DrawReply {
  readonly number: number
  readonly image?: DrawnImage
  readonly values?: readonly number[]
  readonly labels?: readonly PlacedLabel[]
  readonly failure?: DrawFailure
}

/** Why a thread did not do its work. */
export interface DrawFailure {
  /** Of a Problem; absent for a fault of the server. */
  readonly code?: string
  readonly message: string
  readonly stack?: string | undefined
}

const entry = new URL(`./draw.worker${extname(import.meta.url)}`, import.meta.url)

/** Creates a pool without threads; they are started when they are needed. */
export function createDrawPool(limits: DrawLimits = {}): DrawPool {
  return new ThreadPool(limits)
}

/** A request that has a turn. */
interface Work {
  readonly job: PoolJob
  readonly frame?: LabelFrame | undefined
  readonly resolve: (reply: DrawReply) => void
  readonly reject: (error: unknown) => void
  /** Ends the turn, when the thread is idle or has ended. */
  readonly endTurn: () => void
}

/** Party of work of the server itself. */
const serverParty = 'server'

/** Seconds after which a request that could not wait may be repeated. */
const busySeconds = 5

const toBusy = () =>
  problem('render/busy', 'Too many images are waiting to be rendered.', {
    data: { retry_after: busySeconds },
  })

/** Least number of images of a caller that are prepared at the same time. */
const leastImages = 6

/** Pixels of an image up to which many of a caller may be fetched at once: they are held in memory. */
const smallPixels = 2 ** 20

const toStopping = () => problem('render/failed', 'The server is stopping.')

class ThreadPool implements DrawPool {
  readonly #limits: ThreadLimits
  readonly #threads = new Set<DrawThread>()
  readonly #turns: Turns
  readonly #images: Turns
  /** By depth of services that show one another: each waits for those below it. */
  readonly #fetches: readonly { readonly small: Turns; readonly large: Turns }[]
  readonly #closing = new AbortController()

  constructor({
    threads = availableParallelism(),
    images = Math.max(leastImages, 2 * threads),
    fetches = 32,
    timeoutMs = 30_000,
    memoryMb = 1024,
    waiting = { perParty: 128, total: 512 },
    waitMs = 60_000,
  }: DrawLimits) {
    this.#limits = { timeoutMs, memoryMb }
    const limits = { waiting, waitMs, toBusy }
    this.#turns = new Turns({ atOnce: threads + 1, perParty: threads, ...limits })
    this.#images = new Turns({ atOnce: 2 * images, perParty: images, ...limits })
    this.#fetches = Array.from({ length: maxServiceDepth + 1 }, () => ({
      small: new Turns({ atOnce: 2 * fetches, perParty: fetches, ...limits }),
      large: new Turns({ atOnce: 2 * images, perParty: images, ...limits }),
    }))
  }

  inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#runIn(this.#images, work, signal)
  }

  whileFetching<T>(work: () => Promise<T>, { width, height, signal }: FetchedImage): Promise<T> {
    const turns = this.#fetches[currentDepth()]?.[width * height <= smallPixels ? 'small' : 'large']
    return turns === undefined ? work() : this.#runIn(turns, work, signal)
  }

  async #runIn<T>(turns: Turns, work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const endTurn = await this.#takeTurn(turns, signal)
    try {
      return await work()
    } finally {
      endTurn()
    }
  }

  async draw(job: DrawJob | LegendJob, signal?: AbortSignal): Promise<DrawnImage> {
    const { image } = await this.#run({ job }, signal)
    if (image === undefined) throw toFault('the thread that drew the image sent none')
    return image
  }

  async place(job: DrawJob, frame: LabelFrame, signal?: AbortSignal): Promise<readonly PlacedLabel[]> {
    const { labels = [] } = await this.#run({ job, frame }, signal)
    return labels
  }

  async probe(job: ProbeJob, signal?: AbortSignal): Promise<readonly number[] | undefined> {
    return (await this.#run({ job }, signal)).values
  }

  async #run(request: Pick<Work, 'job' | 'frame'>, signal: AbortSignal | undefined): Promise<DrawReply> {
    const endTurn = await this.#takeTurn(this.#turns, signal)
    const { promise, resolve, reject } = Promise.withResolvers<DrawReply>()
    const work: Work = { ...request, resolve, reject, endTurn }
    const thread = this.#findThread()
    const stop = () => {
      thread.cancel(work)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
    thread.start(work)
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  async #takeTurn(turns: Turns, signal: AbortSignal | undefined): Promise<() => void> {
    const closing = this.#closing.signal
    signal?.throwIfAborted()
    if (closing.aborted) throw toStopping()
    const stop = signal === undefined ? closing : AbortSignal.any([signal, closing])
    const endTurn = await turns.take(currentParty()?.name ?? serverParty, stop).catch((error) => {
      signal?.throwIfAborted()
      throw closing.aborted ? toStopping() : error
    })
    if (!stop.aborted) return endTurn
    endTurn()
    signal?.throwIfAborted()
    throw toStopping()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#threads].map((thread) => thread.end('The server is stopping.')))
  }

  /** Finds an idle thread, or starts one: there are never more threads than turns. */
  #findThread(): DrawThread {
    for (const thread of this.#threads) if (thread.isIdle) return thread
    const thread = new DrawThread(this.#limits, () => this.#threads.delete(thread))
    this.#threads.add(thread)
    return thread
  }
}

/**
 * Maximum memory of a thread for new objects, in megabytes. V8 lets it grow with the memory of the machine, to more than
 * 100 MB, without drawing faster.
 */
const youngMemoryMb = 24

/** Limits of a thread. */
type ThreadLimits = Required<Pick<DrawLimits, 'timeoutMs' | 'memoryMb'>>

/** A worker thread, which draws one image at a time. */
class DrawThread {
  readonly #worker: Worker
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4))
  readonly #limits: ThreadLimits
  #number = 0
  #current: Work | undefined
  #endTurn: (() => void) | undefined
  #isEnding = false
  #timer: NodeJS.Timeout | undefined

  /** @param onEnded called when the thread has ended */
  constructor(limits: ThreadLimits, onEnded: () => void) {
    this.#limits = limits
    this.#worker = new Worker(entry, {
      workerData: this.#cancelled,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: youngMemoryMb },
      // Node options of this process (--eval, --input-type) must not apply to the worker.
      execArgv: [],
    })
    this.#worker.unref()
    this.#worker.on('message', (reply: DrawReply) => this.#finish(reply))
    this.#worker.on('error', (error) => {
      this.#isEnding = true
      this.#fail(failureOf(error))
    })
    this.#worker.once('exit', () => {
      this.#fail(problem('render/failed', 'The thread that drew the image ended.'))
      onEnded()
      this.#endTurn?.()
    })
  }

  get isIdle(): boolean {
    return this.#current === undefined && !this.#isEnding
  }

  start(work: Work): void {
    this.#number += 1
    this.#current = work
    this.#endTurn = work.endTurn
    this.#worker.ref()
    const seconds = this.#limits.timeoutMs / 1000
    const stop = () => this.end(`Drawing the image took more than ${seconds} s.`, 'render/timeout')
    this.#timer = setTimeout(stop, this.#limits.timeoutMs)
    const request: DrawRequest = { number: this.#number, job: work.job, frame: work.frame }
    this.#worker.postMessage(request, buffersOf(work.job))
  }

  /** Asks the thread to stop drawing for a request whose client went away; the thread remains. */
  cancel(work: Work): void {
    if (this.#current === work) Atomics.store(this.#cancelled, 0, this.#number)
  }

  /** Ends the thread at once. */
  async end(message: string, code: ProblemCode = 'render/failed'): Promise<void> {
    this.#isEnding = true
    this.#fail(problem(code, message))
    await this.#worker.terminate()
  }

  #finish(reply: DrawReply): void {
    const { number, failure } = reply
    if (number !== this.#number) return
    const current = this.#release()
    if (failure === undefined) current?.resolve(reply)
    else current?.reject(problemOf(failure))
    this.#worker.unref()
    const endTurn = this.#endTurn
    this.#endTurn = undefined
    endTurn?.()
  }

  #fail(error: Error): void {
    this.#release()?.reject(error)
  }

  #release(): Work | undefined {
    clearTimeout(this.#timer)
    const current = this.#current
    this.#current = undefined
    return current
  }
}

function problemOf({ code, message, stack }: DrawFailure): Error {
  if (code !== undefined) return problem(code as ProblemCode, message)
  // The log shows where in the thread it was thrown.
  const cause = Object.assign(new Error(message), stack === undefined ? {} : { stack })
  return toFault(cause)
}

const toFault = (cause: unknown) =>
  problem('server/internal', `Drawing failed: ${cause instanceof Error ? cause.message : cause}.`, { cause })

function failureOf(error: unknown): Error {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? problem('render/too-large', 'Drawing the image needs too much memory.') : toFault(error)
}

function buffersOf(job: PoolJob): ArrayBuffer[] {
  if ('legend' in job || 'probe' in job) return []
  // A layer that is drawn several times is sent once.
  return [...new Set(job.layers)].flatMap((layer) => {
    if ('pixels' in layer) return [layer.pixels.buffer]
    if ('window' in layer) return [layer.window.pixels.buffer]
    if ('raster' in layer) return []
    const { ids, points, geometries, ends, isLocal } = layer.features
    return [ids, points, geometries, ends, isLocal].map(({ buffer }) => buffer)
  })
}
