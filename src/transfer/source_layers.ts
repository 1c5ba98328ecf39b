import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { loadedSrs } from '../contract/geometry.ts'
import { isProblem } from '../core/problem.ts'
import { loadRulesOf } from '../gdal/import/load_rules.ts'
import { unpackLimits } from './read_source.ts'

/**
 * Lists the layers of a source among which a load has to choose: none if it has only one layer, or if it cannot be read
 * here.
 *
 * @param path path on this machine
 */
export async function listSourceLayers(path: string, signal?: AbortSignal): Promise<readonly string[]> {
  // Loaded lazily, because few commands need GDAL.
  const { readVector } = await import('../gdal/read_vector.ts')
  const folder = await mkdtemp(join(tmpdir(), 'landform-source-'))
  const file = { path, name: basename(path), folder, encoding: undefined, layer: undefined, srs: loadedSrs }
  const job = { ...loadRulesOf({}, undefined), ...file, ...unpackLimits, wanted: undefined }
  // A source with one layer starts to send its rows.
  const stop = new Error('the source has one layer')
  try {
    await readVector(job, () => Promise.reject(stop), { signal })
    return []
  } catch (error) {
    signal?.throwIfAborted()
    if (error === stop) return []
    if (!isProblem(error)) throw error
    return error.code === 'source/layers' ? (error.data.layers as readonly string[]) : []
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
