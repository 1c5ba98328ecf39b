import { geometryTypeOf } from '../contract/geometry.ts'
import type { Frames } from './frames.ts'
import type { SourceSummary, VectorJob, WireSummary } from './job.ts'
import { nextFrame, type RunOptions, readSummary, runInChild } from './run.ts'

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
export interface ReadOptions extends RunOptions {
  /** Told now and then how many features were looked at. */
  readonly onLooked?: (features: number) => void
}

/**
 * Reads a vector source with GDAL, in a child process that ends with this call, whatever happens.
 *
 * @param use gets the reading; what it gives is given back
 * @throws {Problem} source/*, request/invalid, gdal/missing, gdal/failed where GDAL crashed or hung; what the signal says
 */
export async function readVector<T>(
  job: VectorJob,
  use: (reading: VectorReading) => Promise<T>,
  options: ReadOptions = {},
): Promise<T> {
  const { onLooked, ...running } = options
  return runInChild(job, async (frames) => use(await readReading(frames, onLooked)), running)
}

async function readReading(frames: Frames, onLooked: ReadOptions['onLooked']): Promise<VectorReading> {
  const { geometry, ...summary } = await readSummary<WireSummary>(frames, ({ features = 0 }) =>
    onLooked?.(features),
  )
  return { summary: { ...summary, geometryType: geometryTypeOf(geometry) }, copies: readCopies(frames) }
}

async function* readCopies(frames: Frames): AsyncGenerator<AsyncIterable<Uint8Array>> {
  for (;;) {
    const frame = await nextFrame(frames)
    if (frame.kind === 'end') return
    yield frame.content()
  }
}
