import type { GeometryType } from '../contract/geometry.ts'
import { isProblem } from '../core/problem.ts'
import type { RowSet } from '../gdal/read_vector.ts'
import { scanSource } from './read_source.ts'

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
 * @throws {Problem} pipeline/interrupted
 */
export async function inspectSource(
  path: string,
  { layer, signal }: { readonly layer?: string; readonly signal?: AbortSignal } = {},
): Promise<SourceContent> {
  // A source with one layer starts to send its rows.
  const stop = new Error('the source has one layer')
  let geometryType: GeometryType | undefined
  const take = ({ layout }: RowSet) => {
    geometryType = layout.geometryType
    return Promise.reject(stop)
  }
  const options = layer === undefined ? {} : { source_layer: layer }
  try {
    await scanSource({ path, options, geometryType: undefined, signal }, { take })
    return { layers: [] }
  } catch (error) {
    if (error === stop) return { layers: [], ...(geometryType === undefined ? {} : { geometryType }) }
    if (!isProblem(error) || error.code === 'pipeline/interrupted') throw error
    return { layers: error.code === 'source/layers' ? (error.data.layers as readonly string[]) : [] }
  }
}
