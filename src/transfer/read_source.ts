import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { SkippedFeatures } from '../contract/bodies/import_report.ts'
import type { Field } from '../contract/classes/feature_layer.ts'
import { type GeometryType, geometryParts, loadedSrs } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { isProblem, type Problem } from '../core/problem.ts'
import { type LoadMembers, loadRulesOf } from '../gdal/import/load_rules.ts'
import type { RowSet } from '../gdal/read_vector.ts'
import type { SourceSummary, WantedFields } from '../gdal/runner/vector_job.ts'
import { countKeys, type KeyCounter, type KeyFaults, type WantedKeys } from './count_keys.ts'
import { packSource } from './pack.ts'
import { leadingValues, readValueRows, type ValueRow } from './sync/row_entry.ts'
import { type ConversionCheck, checkConversions, type UnconvertibleField } from './unconvertible_values.ts'

/** A file to load into a layer. */
export interface ReadableSource {
  /** Path on this machine. */
  readonly path: string
  /** Load options: members of the class, and the encoding. */
  readonly options: LoadMembers & { readonly encoding?: string }
  /** Geometry type of an existing layer. */
  readonly geometryType: GeometryType | undefined
  /** Fields to which values are converted while they are read; those of the source if absent. */
  readonly wanted?: WantedFields | undefined
  /** Datatypes that fields get after the load, if the server converts them only then; those that are read if absent. */
  readonly declared?: WantedFields['fields'] | undefined
  /** Keys to look for among the features. */
  readonly keys?: WantedKeys | undefined
  readonly signal?: AbortSignal | undefined
}

/** Contents of a file, as loaded into a layer. */
export interface SourceContents {
  readonly featureCount: number
  /** Keynames of the fields that have a value in at least one feature. An empty string is not a value. */
  readonly filledFields: readonly string[]
  /** Fields that a new layer would have. */
  readonly fields: readonly SourceContentField[]
  /** Keynames of the fields that were not read, since only wanted fields are. */
  readonly otherFields: readonly string[]
  /** Invalid features that a load skips. */
  readonly skipped: SkippedFeatures
  /** Geometry type that a new layer would have; undefined for a file without features. */
  readonly geometryType: GeometryType | undefined
  /** Fields with values that cannot be converted to the declared datatypes. */
  readonly unconvertible: readonly UnconvertibleField[]
  /** Faults of the keys that were looked for; absent if it is not known which features have them. */
  readonly keyFaults?: KeyFaults
}

/** A field of a file, as loaded into a layer. */
export type SourceContentField = Pick<Field, 'keyname' | 'datatype'>

/** Maximum unpacked size of an archive, and size of a read. */
export const unpackLimits = { unpackLimitBytes: 32 * 2 ** 30, pieceBytes: 8 << 20 }

/** How to read the rows of a file. */
export interface SourceScan {
  /** EPSG code of the geometries. @default the reference system of new layers */
  readonly srs?: number
  /** Fields that the rows are converted to; the fields of the source if absent. */
  readonly wanted?: WantedFields | undefined
  /** Keynames of the fields that identify a feature, to report the keys of bad features. */
  readonly key?: readonly string[] | undefined
  /** Receives the rows. Called again if the source differs from what it declares; then the earlier rows are invalid. */
  readonly take: (rows: RowSet) => Promise<void>
}

/**
 * Reads the rows of a file locally, as the server would.
 *
 * @throws {Problem} source/*, gdal/missing, gdal/failed, pipeline/interrupted, file/not-found, file/unreadable
 */
export async function scanSource(
  { path, options, geometryType, signal }: ReadableSource,
  { srs = loadedSrs, wanted, key, take }: SourceScan,
): Promise<SourceSummary> {
  // Loaded lazily, because a plan without data changes does not need GDAL.
  const { readVector } = await import('../gdal/read_vector.ts')
  const packed = await packSource(path, signal)
  const folder = await mkdtemp(join(tmpdir(), 'landform-source-'))
  const rules = loadRulesOf(options, geometryType === undefined ? undefined : geometryParts(geometryType))
  const { encoding, source_layer: layer } = options
  const file = { path: packed.path, name: basename(packed.path), folder }
  const job = { ...rules, ...file, encoding, layer, srs, ...unpackLimits, wanted, key }
  try {
    return await readVector(job, take, { signal })
  } catch (error) {
    if (signal?.aborted) throw problem('pipeline/interrupted', `Reading "${path}" was interrupted.`)
    throw error
  } finally {
    await packed.remove()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * Reads the contents of a file locally, as the server would. Returns a Problem if the file cannot be loaded, undefined if
 * GDAL is not installed or fails; the server may still be able to read the file.
 *
 * @throws {Problem} pipeline/interrupted
 */
export async function readSource(source: ReadableSource): Promise<SourceContents | Problem | undefined> {
  let fields: readonly SourceContentField[] = []
  let geometryType: GeometryType | undefined
  let check: ConversionCheck | undefined
  let counter: KeyCounter | undefined
  const take = async ({ copies, layout }: RowSet) => {
    check = checkConversions(layout, source.declared ?? [])
    counter = source.keys && countKeys(layout, source.keys, source.declared)
    geometryType = layout.geometryType
    fields = layout.fields.map(({ datatype }, at) => ({ keyname: layout.keynames[at] ?? '', datatype }))
    const readers = [check, counter].filter((one) => one !== undefined)
    const width = leadingValues + layout.fields.length
    const add = (row: ValueRow) => {
      for (const reader of readers) reader.add(row)
    }
    for await (const copy of copies)
      await (readers.length === 0 ? skip(copy) : readValueRows(copy, width, add))
  }
  try {
    const summary = await scanSource(source, { wanted: source.wanted, take })
    const { rowCount: featureCount, filledFields, otherFields } = summary
    const keyFaults = counter === undefined ? {} : { keyFaults: counter.find() }
    return {
      ...{ featureCount, filledFields, fields, otherFields, geometryType, skipped: skippedOf(summary) },
      ...{ unconvertible: check?.find() ?? [], ...keyFaults },
    }
  } catch (error) {
    if (!isProblem(error) || error.code === 'pipeline/interrupted') throw error
    return /^(source|file)\//.test(error.code) ? error : undefined
  }
}

/** Returns the invalid features that a load skips, as servers report them. */
export function skippedOf({ badCount, bad }: Pick<SourceSummary, 'badCount' | 'bad'>): SkippedFeatures {
  return { bad_count: badCount, bad: bad.map(({ number, reason }) => ({ number, reason })) }
}

async function skip(copy: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of copy);
}
