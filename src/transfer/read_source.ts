import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type GeometryType, geometryParts, loadedSrs } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { type LoadMembers, loadRulesOf } from '../gdal/import/load_rules.ts'
import type { RowSet } from '../gdal/read_vector.ts'

/** A file to load into a layer. */
export interface ReadableSource {
  /** Path on this machine. */
  readonly path: string
  /** Load options: members of the class, and the encoding. */
  readonly options: LoadMembers & { readonly encoding?: string }
  /** Geometry type of an existing layer. */
  readonly geometryType: GeometryType | undefined
  readonly signal?: AbortSignal | undefined
}

/** Contents of a file, as loaded into a layer. */
export interface SourceContents {
  readonly featureCount: number
  /** Keynames of the fields that have a value in at least one feature. An empty string is not a value. */
  readonly filledFields: readonly string[]
}

/** Maximum unpacked size of an archive, and size of a read. */
export const unpackLimits = { unpackLimitBytes: 32 * 2 ** 30, pieceBytes: 8 << 20 }

/**
 * Reads the contents of a file locally, as the server would. Returns undefined if GDAL is not installed or cannot read
 * the file; the server may still be able to.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function readSource(source: ReadableSource): Promise<SourceContents | undefined> {
  const { path, options, geometryType, signal } = source
  // Loaded lazily, because a plan without data changes does not need GDAL.
  const { readVector } = await import('../gdal/read_vector.ts')
  const folder = await mkdtemp(join(tmpdir(), 'landform-source-'))
  const rules = loadRulesOf(options, geometryType === undefined ? undefined : geometryParts(geometryType))
  const layer = options.source_layer
  const file = { path, name: basename(path), folder, encoding: options.encoding, layer, srs: loadedSrs }
  const take = async ({ copies }: RowSet) => {
    for await (const copy of copies) for await (const _ of copy);
  }
  try {
    const job = { ...rules, ...file, ...unpackLimits, wanted: undefined }
    const { rowCount: featureCount, filledFields } = await readVector(job, take, { signal })
    return { featureCount, filledFields }
  } catch (error) {
    if (signal?.aborted) throw problem('pipeline/interrupted', `Reading "${path}" was interrupted.`)
    if (isProblem(error)) return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
