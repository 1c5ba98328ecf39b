import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { loadedSrs } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { requireRasterFormat } from '../gdal/raster/raster_start.ts'
import { packSource } from './pack.ts'
import { unpackLimits } from './read_source.ts'

/**
 * Checks a raster locally, as the server would before it reads pixels. Returns a Problem if the file cannot be loaded; without GDAL, only
 * its first bytes are checked. How many pixels a raster may have is known to the server alone.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function checkRasterSource(
  path: string,
  signal: AbortSignal | undefined,
): Promise<Problem | undefined> {
  try {
    await requireRasterFormat(path)
    await checkWithGdal(path, signal)
    return undefined
  } catch (error) {
    if (signal?.aborted) throw problem('pipeline/interrupted', `Reading "${path}" was interrupted.`)
    // The reading of the digest reports a missing file.
    return isProblem(error) && /^(source|file)\//.test(error.code) ? error : undefined
  }
}

async function checkWithGdal(path: string, signal: AbortSignal | undefined): Promise<void> {
  // Loaded lazily, because a plan without data changes does not need GDAL.
  const { checkRasterFile } = await import('../gdal/raster/read_raster.ts')
  const packed = await packSource(path, signal)
  const folder = await mkdtemp(join(tmpdir(), 'landform-raster-'))
  const limits = { unpackLimitBytes: unpackLimits.unpackLimitBytes, pixelLimitBytes: Number.MAX_SAFE_INTEGER }
  try {
    const file = { path: packed.path, name: basename(packed.path), folder }
    await checkRasterFile({ ...file, ...limits, srs: loadedSrs }, { signal })
  } finally {
    await packed.remove()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
