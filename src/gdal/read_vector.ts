import { geometryTypeOf } from '../contract/geometry.ts'
import { type Frame, type Frames, readJson } from './runner/frames.ts'
import { nextFrame, type RunOptions, runInChild, type WireTick } from './runner/run.ts'
import type { RowLayout, SourceSummary, VectorJob, WireLayout } from './runner/vector_job.ts'

/** Rows of a source. */
export interface RowSet {
  readonly layout: RowLayout
  /**
   * The rows, cut into pieces that are a whole binary COPY each: id, geom, then the fields. Each piece is to be read
   * to its end before the next, all of them before the reading goes on; while nobody reads, the child process waits.
   */
  readonly copies: AsyncIterable<AsyncIterable<Uint8Array>>
}

/** How a source is read. */
export interface ReadOptions extends RunOptions {
  /** Told now and then how many features were looked at, of how many where that is known. */
  readonly onLooked?: (features: number, total?: number) => void
}

/**
 * Reads a vector source with GDAL, in a child process that ends with this call, whatever happens.
 *
 * @param take gets the rows, mostly while the source is still looked at. Called anew where the source turns out to be
 *   something else than it declares: then the rows that it got before are to be forgotten, as they are where this fails
 * @returns what was found
 * @throws {Problem} source/*, request/invalid, gdal/missing, gdal/failed where GDAL crashed or hung; what the signal
 *   says; what `take` throws
 */
export async function readVector(
  job: VectorJob,
  take: (rows: RowSet) => Promise<unknown>,
  { onLooked, ...running }: ReadOptions = {},
): Promise<SourceSummary> {
  const onTick = ({ features = 0, total }: WireTick) => onLooked?.(features, total)
  return runInChild(job, (frames) => takeAll({ frames, onTick }, take), running)
}

interface Reading {
  readonly frames: Frames
  readonly onTick: (tick: WireTick) => void
}

async function takeAll(
  { frames, onTick }: Reading,
  take: (rows: RowSet) => Promise<unknown>,
): Promise<SourceSummary> {
  let frame = await nextFrame(frames, onTick)
  async function* readCopies(): AsyncGenerator<AsyncIterable<Uint8Array>> {
    for (frame = await nextFrame(frames, onTick); frame.kind === 'rows'; ) {
      yield frame.content()
      frame = await nextFrame(frames, onTick)
    }
  }
  while (frame.kind === 'layout') {
    await take({ layout: await readLayout(frame), copies: readCopies() })
  }
  if (frame.kind !== 'summary') throw new Error(`a ${frame.kind} came instead of the summary`)
  return readJson<SourceSummary>(frame)
}

async function readLayout(frame: Frame): Promise<RowLayout> {
  const { geometry, ...layout } = await readJson<WireLayout>(frame)
  return { ...layout, geometryType: geometryTypeOf(geometry) }
}
