import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type ProblemCode, problem } from '../../contract/problems.ts'
import type { LabelFrame } from '../label/label_frame.ts'
import type { PlacedLabel } from '../label/placed_label.ts'
import type { LegendJob } from '../legend/legend_job.ts'
import type { DrawJob, DrawnImage, ProbeJob } from './draw_job.ts'

/** Work of a thread. */
export type PoolJob = DrawJob | LegendJob | ProbeJob

/** Draws images in worker threads. */
export interface DrawPool {
  /**
   * Draws an image. The work ends when the signal is aborted.
   *
   * @throws {Problem} render/timeout, render/too-large if memory is exhausted, render/failed; the reason of the signal
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

/** Limits of drawing. */
export interface DrawLimits {
  readonly threads?: number
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
  readonly failure?: { readonly code: string; readonly message: string }
}

const entry = new URL(`./draw.worker${extname(import.meta.url)}`, import.meta.url)

/** Creates a pool without threads; they are started when they are needed. */
export function createDrawPool(limits: DrawLimits = {}): DrawPool {
  return new ThreadPool(limits)
}

interface Waiting {
  readonly job: PoolJob
  readonly frame?: LabelFrame | undefined
  readonly resolve: (reply: DrawReply) => void
  readonly reject: (error: unknown) => void
}

class ThreadPool implements DrawPool {
  readonly #limits: Required<DrawLimits>
  readonly #threads = new Set<DrawThread>()
  readonly #waiting = new Set<Waiting>()
  #isClosed = false

  constructor({ threads = availableParallelism(), timeoutMs = 30_000, memoryMb = 1024 }: DrawLimits) {
    this.#limits = { threads, timeoutMs, memoryMb }
  }

  async draw(job: DrawJob | LegendJob, signal?: AbortSignal): Promise<DrawnImage> {
    const { image } = await this.#run({ job }, signal)
    if (image === undefined) throw problem('render/failed', 'The thread that drew the image sent none.')
    return image
  }

  async place(job: DrawJob, frame: LabelFrame, signal?: AbortSignal): Promise<readonly PlacedLabel[]> {
    const { labels = [] } = await this.#run({ job, frame }, signal)
    return labels
  }

  async probe(job: ProbeJob, signal?: AbortSignal): Promise<readonly number[] | undefined> {
    return (await this.#run({ job }, signal)).values
  }

  async #run(work: Pick<Waiting, 'job' | 'frame'>, signal: AbortSignal | undefined): Promise<DrawReply> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<DrawReply>()
    const waiting: Waiting = { ...work, resolve, reject }
    const stop = () => {
      this.#waiting.delete(waiting)
      for (const thread of this.#threads) thread.cancel(waiting)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
    this.#waiting.add(waiting)
    this.#startNext()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const { reject } of this.#waiting) reject(problem('render/failed', 'The server is stopping.'))
    this.#waiting.clear()
    await Promise.all([...this.#threads].map((thread) => thread.end('The server is stopping.')))
  }

  /** Gives waiting requests to idle threads. */
  #startNext(): void {
    for (const waiting of this.#waiting) {
      const thread = this.#findThread()
      if (thread === undefined) return
      this.#waiting.delete(waiting)
      thread.start(waiting)
    }
  }

  #findThread(): DrawThread | undefined {
    if (this.#isClosed) return undefined
    for (const thread of this.#threads) if (thread.isIdle) return thread
    if (this.#threads.size >= this.#limits.threads) return undefined
    const thread = new DrawThread(this.#limits, (isEnded) => {
      if (isEnded) this.#threads.delete(thread)
      this.#startNext()
    })
    this.#threads.add(thread)
    return thread
  }
}

/**
 * Maximum memory of a thread for new objects, in megabytes. V8 lets it grow with the memory of the machine, to more than
 * 100 MB, without drawing faster.
 */
const youngMemoryMb = 24

/** A worker thread, which draws one image at a time. */
class DrawThread {
  readonly #worker: Worker
  readonly #cancelled = new Int32Array(new SharedArrayBuffer(4))
  readonly #limits: Required<DrawLimits>
  readonly #onFree: (isEnded: boolean) => void
  #number = 0
  #current: Waiting | undefined
  #isEnding = false
  #timer: NodeJS.Timeout | undefined

  /** @param onFree called after each image, and when the thread has ended */
  constructor(limits: Required<DrawLimits>, onFree: (isEnded: boolean) => void) {
    this.#limits = limits
    this.#onFree = onFree
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
      this.#onFree(true)
    })
  }

  get isIdle(): boolean {
    return this.#current === undefined && !this.#isEnding
  }

  start(waiting: Waiting): void {
    this.#number += 1
    this.#current = waiting
    this.#worker.ref()
    const seconds = this.#limits.timeoutMs / 1000
    const stop = () => this.end(`Drawing the image took more than ${seconds} s.`, 'render/timeout')
    this.#timer = setTimeout(stop, this.#limits.timeoutMs)
    const request: DrawRequest = { number: this.#number, job: waiting.job, frame: waiting.frame }
    this.#worker.postMessage(request, buffersOf(waiting.job))
  }

  /** Asks the thread to stop drawing for a request whose client went away; the thread remains. */
  cancel(waiting: Waiting): void {
    if (this.#current === waiting) Atomics.store(this.#cancelled, 0, this.#number)
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
    else current?.reject(problem(failure.code as ProblemCode, failure.message))
    this.#worker.unref()
    this.#onFree(false)
  }

  #fail(error: Error): void {
    this.#release()?.reject(error)
  }

  #release(): Waiting | undefined {
    clearTimeout(this.#timer)
    const current = this.#current
    this.#current = undefined
    return current
  }
}

function failureOf(error: unknown): Error {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
  if (isMemory) return problem('render/too-large', 'Drawing the image needs too much memory.')
  return problem(
    'render/failed',
    `Drawing the image failed: ${error instanceof Error ? error.message : error}.`,
  )
}

function buffersOf(job: PoolJob): ArrayBuffer[] {
  if ('legend' in job || 'probe' in job) return []
  return job.layers.flatMap((layer) => {
    if ('pixels' in layer) return [layer.pixels.buffer]
    if ('window' in layer) return [layer.window.pixels.buffer]
    if ('raster' in layer) return []
    const { ids, points, geometries, ends, isLocal } = layer.features
    return [ids, points, geometries, ends, isLocal].map(({ buffer }) => buffer)
  })
}
