import { geometryTypeOf } from '../contract/geometry.ts'
import { type Frame, type Frames, readJson } from './runner/frames.ts'
import { nextFrame, type RunOptions, runInChild, type WireTick } from './runner/run.ts'
import type { RowLayout, SourceSummary, VectorJob, WireLayout } from './runner/vector_job.ts'

/** Rows of a source. */
export interface RowSet {
  readonly layout: RowLayout
  /**
   * The rows in chunks, each a complete binary COPY stream: id, geom, then the fields. Read each chunk to its end before
   * the next, and all of them before the next layout. The child process waits for the reader.
   */
  readonly copies: AsyncIterable<AsyncIterable<Uint8Array>>
}

/** Options for reading a source. */
export interface ReadOptions extends RunOptions {
  /** Called from time to time with the number of scanned features, and the total if known. */
  readonly onScanned?: (features: number, total?: number) => void
}

/**
 * Reads a vector source in a child process, with GDAL if its format requires it.
 *
 * @param take receives the rows, usually while the source is still being scanned. Called again if the source differs from
 *   what it declares; then, and if this call fails, the earlier rows must be discarded
 * @throws {Problem} source/*, request/invalid, gdal/missing, gdal/failed if GDAL crashed or hung; the reason of the signal;
 *   what `take` throws
 */
export async function readVector(
  job: VectorJob,
  take: (rows: RowSet) => Promise<unknown>,
  { onScanned, ...running }: ReadOptions = {},
): Promise<SourceSummary> {
  const onTick = ({ features = 0, total }: WireTick) => onScanned?.(features, total)
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
