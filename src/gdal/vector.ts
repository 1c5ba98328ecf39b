import { fork } from 'node:child_process'
import { extname } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import PQueue from 'p-queue'
import { geometryTypeOf } from '../contract/geometry.ts'
import { type ProblemCode, problem } from '../contract/problems.ts'
import { type Frame, type Frames, readFrames, readJson } from './frames.ts'
import type { SourceSummary, VectorJob, WireProblem, WireSummary } from './job.ts'
import { hasGdal } from './open.ts'
import { watchChild } from './watch.ts'

/** A source that is being read. */
export interface VectorReading {
  readonly summary: SourceSummary
  /**
   * The rows, cut into pieces that are a whole binary COPY each: id, geom, then the fields. Each piece is to be read
   * to its end before the next; while nobody reads, the child process waits.
   */
  readonly copies: AsyncIterable<AsyncIterable<Uint8Array>>
}

/** How a source is read. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined
  /** Most milliseconds without a sign of life. GDAL gives none while it opens a file. */
  readonly stallTimeoutMs?: number
}

/** Each child process takes a core and some hundred megabytes. */
const pool = new PQueue({ concurrency: 2 })

const entry = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url))
const defaultStallTimeoutMs = 15 * 60_000

/**
 * Reads a vector source with GDAL, in a child process that ends with this call, whatever happens. Not more than two
 * run at once; further calls wait.
 *
 * @param use gets the reading; what it gives is given back
 * @throws {Problem} source/*, request/invalid, gdal/missing, gdal/failed where GDAL crashed or hung; what the signal says
 */
export async function readVector<T>(
  job: VectorJob,
  use: (reading: VectorReading) => Promise<T>,
  options: ReadOptions = {},
): Promise<T> {
  if (!hasGdal())
    throw problem('gdal/missing', 'reading vector data needs gdal-async, which is not installed')
  return pool.add(() => readInChild(job, use, options))
}

async function readInChild<T>(
  job: VectorJob,
  use: (reading: VectorReading) => Promise<T>,
  { signal, stallTimeoutMs = defaultStallTimeoutMs }: ReadOptions,
): Promise<T> {
  signal?.throwIfAborted()
  // Its own memory limit is left at Node's default: what grows is GDAL's.
  const child = fork(entry, [], { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] })
  const watch = watchChild(child, { signal, stallTimeoutMs })
  try {
    child.send(job)
    const frames = readFrames(child.stdio[3] as Readable, watch.wait)
    return await use({ summary: await readSummary(frames), copies: readCopies(frames) })
  } catch (error) {
    await watch.end()
    throw watch.findReason() ?? error
  } finally {
    await watch.end()
  }
}

async function readSummary(frames: Frames): Promise<SourceSummary> {
  const frame = await nextFrame(frames)
  if (frame.kind !== 'summary') throw new Error(`a ${frame.kind} came before the summary`)
  const { geometry, ...summary } = await readJson<WireSummary>(frame)
  return { ...summary, geometryType: geometryTypeOf(geometry) }
}

async function* readCopies(frames: Frames): AsyncGenerator<AsyncIterable<Uint8Array>> {
  for (;;) {
    const frame = await nextFrame(frames)
    if (frame.kind === 'end') return
    yield frame.content()
  }
}

/** Gives the next frame that says something; a problem is thrown. */
async function nextFrame(frames: Frames): Promise<Frame> {
  for (;;) {
    const frame = await frames.next()
    if (frame === undefined)
      throw problem('gdal/failed', 'the process of GDAL ended before its work was done')
    if (frame.kind === 'problem') throw toProblem(await readJson<WireProblem>(frame))
    if (frame.kind !== 'tick') return frame
    await readJson(frame)
  }
}

function toProblem({ code, message, hint, detail, data }: WireProblem): Error {
  return problem(code as ProblemCode, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(detail === undefined ? {} : { detail }),
    ...(data === undefined ? {} : { data }),
  })
}
