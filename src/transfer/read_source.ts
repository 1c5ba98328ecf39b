import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type GeometryType, geometryParts, loadedSrs } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { isProblem } from '../core/problem.ts'
import { type LoadMembers, loadRulesOf } from '../gdal/import/load_rules.ts'
import type { RowSet } from '../gdal/read_vector.ts'

/** A file that is to become the data of a layer. */
export interface ReadableSource {
  /** Path on this machine. */
  readonly path: string
  /** How the file is read: members of the class. */
  readonly options: LoadMembers
  /** Geometry type of the layer, where it stands already. */
  readonly geometryType: GeometryType | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a file holds for a layer. */
export interface SourceContents {
  readonly featureCount: number
  /** Keynames of the fields that the layer would get. */
  readonly fields: readonly string[]
}

/** Bytes that an archive may unpack to, and that are read at a time. */
const limits = { unpackLimitBytes: 32 * 2 ** 30, pieceBytes: 8 << 20 }

/**
 * Reads on this machine what a file holds, as the server would read it. Undefined where that is not possible here: GDAL
 * is not installed, or does not take the file; the server has the last word.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function readSource(source: ReadableSource): Promise<SourceContents | undefined> {
  const { path, options, geometryType, signal } = source
  // A plan without changes of data has no use for it.
  const { readVector } = await import('../gdal/read_vector.ts')
  const folder = await mkdtemp(join(tmpdir(), 'landform-source-'))
  const rules = loadRulesOf(options, geometryType === undefined ? undefined : geometryParts(geometryType))
  const layer = options.source_layer
  const file = { path, name: basename(path), folder, encoding: undefined, layer, srs: loadedSrs }
  let fields: readonly string[] = []
  const take = async ({ layout, copies }: RowSet) => {
    fields = layout.keynames
    for await (const copy of copies) for await (const _ of copy);
  }
  try {
    const job = { ...rules, ...file, ...limits, wanted: undefined }
    const { rowCount } = await readVector(job, take, { signal })
    return { featureCount: rowCount, fields }
  } catch (error) {
    if (signal?.aborted) throw problem('pipeline/interrupted', `Reading "${path}" was interrupted.`)
    if (isProblem(error)) return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
