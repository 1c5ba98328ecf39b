import { problem } from '../../../contract/problems.ts'
import { startDeadline } from '../../../core/deadline.ts'
import type { Problem } from '../../../core/problem.ts'
import type { DensityPoints } from '../../../render/draw/density.ts'
import type { JobLayer, PointBlock } from '../../../render/image/draw_job.ts'

/** Reads a layer of an image until a signal is aborted. */
export type ReadLayer<T extends JobLayer> = (signal: AbortSignal) => Promise<T>

/** Limits of reading the layers of an image. */
export interface ReadLimits {
  /** Layers that are read at a time. */
  readonly parallel?: number
  /** Memory of all layers. */
  readonly sizeBytes?: number
  readonly timeoutMs: number
  /** Creates the Problem of the time limit, if there is another one than render/timeout. */
  readonly toOverdue?: () => Problem | undefined
}

const defaultLimits = { parallel: 6, sizeBytes: 256 * 2 ** 20 } as const

/**
 * Reads the layers of an image, a few at a time, since each of them may be as large as one image allows.
 *
 * @throws {Problem} render/timeout, or that of `toOverdue`; render/too-large
 */
export async function readLayers<T extends JobLayer>(
  reads: readonly ReadLayer<T>[],
  signal: AbortSignal,
  limits: ReadLimits,
): Promise<T[]> {
  const { parallel, sizeBytes, timeoutMs, toOverdue } = { ...defaultLimits, ...limits }
  const overdue = () => toOverdue?.() ?? tooSlow(timeoutMs)
  const [{ signal: deadline, end }, failure] = [startDeadline(timeoutMs), new AbortController()]
  const stop = AbortSignal.any([signal, deadline, failure.signal])
  const layers: T[] = []
  let [next, total] = [0, 0]
  const readNext = async (): Promise<void> => {
    for (let at = next++; at < reads.length && !stop.aborted; at = next++) {
      const layer = await reads[at]?.(stop)
      if (layer === undefined) continue
      layers[at] = layer
      total += sizeOfLayer(layer)
      if (total > sizeBytes) throw tooLarge(sizeBytes)
    }
    if (deadline.aborted && !signal.aborted) throw overdue()
  }
  try {
    // A layer may not end at once.
    await Promise.race([
      untilAborted(deadline),
      Promise.all(Array.from({ length: Math.min(parallel, reads.length) }, readNext)),
    ])
  } catch (error) {
    failure.abort()
    throw deadline.aborted && !signal.aborted ? overdue() : error
  } finally {
    end()
  }
  signal.throwIfAborted()
  return layers
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  )
}

const hint = 'Request fewer layers, or a smaller extent.'

function tooLarge(sizeBytes: number): Error {
  const message = `The layers of the image have more than ${sizeBytes} bytes in the extent.`
  return problem('render/too-large', message, { hint })
}

function tooSlow(timeoutMs: number): Error {
  const message = `Reading the layers of the image took more than ${timeoutMs / 1000} s.`
  return problem('render/timeout', message, { hint })
}

/** Memory of an attribute value, on average, and of what else a feature has. */
const memory = { value: 48, feature: 24 } as const

function sizeOfLayer(layer: JobLayer): number {
  if ('pixels' in layer) return layer.pixels.byteLength
  if ('window' in layer) return layer.window.pixels.byteLength
  if ('raster' in layer) return 0
  const { ids, points, geometries, columns } = layer.features
  const blocks = (layer.groups ?? []).reduce((sum, { block }) => sum + sizeOfBlock(block), 0)
  const features = ids.length * (memory.feature + memory.value * columns.length)
  return features + points.byteLength + geometries.byteLength + blocks + sizeOfDensity(layer.density)
}

const sizeOfBlock = ({ ids, columns }: PointBlock) =>
  ids.length * (memory.feature + 16 + memory.value * columns.length)

const sizeOfDensity = (density: DensityPoints | undefined) =>
  density === undefined
    ? 0
    : density.columns.byteLength + density.rows.byteLength + density.weights.byteLength
