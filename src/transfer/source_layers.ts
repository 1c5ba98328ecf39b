import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type GeometryType, loadedSrs } from '../contract/geometry.ts'
import { isProblem } from '../core/problem.ts'
import { loadRulesOf } from '../gdal/import/load_rules.ts'
import type { RowSet } from '../gdal/read_vector.ts'
import { unpackLimits } from './read_source.ts'

/** What a source has to load. */
export interface SourceContent {
  /** Layers among which a load has to choose; none if the source has only one, or cannot be read here. */
  readonly layers: readonly string[]
  /** Geometry type of the only layer. */
  readonly geometryType?: GeometryType
}

/**
 * Looks into a source, without reading it to its end.
 *
 * @param path path on this machine
 * @param layer name of a layer of the source
 */
export async function inspectSource(
  path: string,
  { layer, signal }: { readonly layer?: string; readonly signal?: AbortSignal } = {},
): Promise<SourceContent> {
  // Loaded lazily, because few commands need GDAL.
  const { readVector } = await import('../gdal/read_vector.ts')
  const folder = await mkdtemp(join(tmpdir(), 'landform-source-'))
  const file = { path, name: basename(path), folder, encoding: undefined, layer, srs: loadedSrs }
  const job = { ...loadRulesOf({}, undefined), ...file, ...unpackLimits, wanted: undefined }
  // A source with one layer starts to send its rows.
  const stop = new Error('the source has one layer')
  let geometryType: GeometryType | undefined
  const take = ({ layout }: RowSet) => {
    geometryType = layout.geometryType
    return Promise.reject(stop)
  }
  try {
    await readVector(job, take, { signal })
    return { layers: [] }
  } catch (error) {
    signal?.throwIfAborted()
    if (error === stop) return { layers: [], ...(geometryType === undefined ? {} : { geometryType }) }
    if (!isProblem(error)) throw error
    return { layers: error.code === 'source/layers' ? (error.data.layers as readonly string[]) : [] }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
