import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { maxFields } from '../contract/classes/feature_layer.ts'
import type { GeometryType } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import { type RowSet, readVector } from '../gdal/read_vector.ts'
import type { LoadRules, RowLayout, SourceSummary, WantedFields } from '../gdal/runner/vector_job.ts'
import { type PlannedField, planFields } from '../store/layer/plan_fields.ts'
import {
  analyzeFeatureTable,
  createStaging,
  findDuplicateIds,
  finishFeatureTable,
  touchStaging,
} from '../store/layer/staging_table.ts'
import type { LayerField } from '../store/layer/stored_layer.ts'
import { nameFields, type RenamedField } from './name_fields.ts'
import { discardStaging, type StagingOwner } from './orphaned_tables.ts'

/** A file to import, with its options. */
export interface ImportSource extends LoadRules {
  /** Path of the file, which must exist until the end of the import. */
  readonly path: string
  /** Original file name. */
  readonly name: string
  readonly encoding?: string | undefined
  /** Layer to read from a file with several layers. */
  readonly layer?: string | undefined
  /** EPSG code of the stored layer. */
  readonly srs: number
  /** Fields of an existing layer that the features have to match; those of the source if absent. */
  readonly keepFields?: readonly LayerField[] | undefined
  /** Datatypes declared for fields of the source. */
  readonly declared?: WantedFields['fields'] | undefined
}

/** Environment of an import. */
export interface ImportContext extends StagingOwner {
  readonly database: Database
  readonly log: Log
  /** Folder for temporary files. */
  readonly temporaryFolder: string
  /** Maximum unpacked size of an archive. */
  readonly unpackLimitBytes: number
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: OnProgress | undefined
}

/** Staged features, ready for a layer to adopt. */
export interface Staged {
  readonly tableName: string
  readonly geometryType: GeometryType
  readonly srs: number
  readonly fields: readonly PlannedField[]
  /** Whether ids come from the source, so that features keep their id when they are loaded again. */
  readonly hasIds: boolean
  readonly report: ImportReport
  /** Drops the table unless a layer has adopted it. */
  discard(): Promise<void>
}

/** Result of an import. */
export interface ImportReport
  extends Pick<SourceSummary, 'format' | 'layer' | 'badCount' | 'bad' | 'otherCount'> {
  /** Number of loaded features. */
  readonly count: number
  readonly renamed: readonly RenamedField[]
  readonly notes: readonly string[]
}

/** Size of a COPY: two megabytes block the single session of the embedded database for some 50 ms. */
const pieceBytes = { pglite: 2 << 20, postgres: 8 << 20 } as const

/** Interval of touching a table that is being filled, shorter than the time after which it counts as abandoned. */
const touchIntervalMs = 30_000

/**
 * Streams a file into a staging table, in short transactions, so that other requests get their turn on the embedded
 * database. Leaves nothing behind if it fails.
 *
 * @throws {Problem} source/*, gdal/*, request/invalid, database/*
 */
export async function stageSource(source: ImportSource, context: ImportContext): Promise<Staged> {
  const folder = await mkdtemp(join(context.temporaryFolder, 'import-'))
  const writer = openStagingWriter({ source, context })
  try {
    const { encoding, layer } = source
    const { unpackLimitBytes, signal, onProgress } = context
    const { keepFields, declared, ...rules } = source
    const job = {
      ...rules,
      wanted: wantedOf(keepFields, declared),
      encoding,
      layer,
      folder,
      unpackLimitBytes,
      pieceBytes: pieceBytes[context.database.driver],
    }
    const onScanned = (features: number, total?: number) =>
      onProgress?.({ step: 'reading', features, ...(total === undefined ? {} : { total }) })
    onScanned(0)
    return await writer.finish(await readVector(job, writer.take, { signal, onScanned }))
  } catch (error) {
    await writer.discard()
    throw error
  } finally {
    writer.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function wantedOf(
  keepFields: ImportSource['keepFields'],
  declared: ImportSource['declared'],
): WantedFields | undefined {
  const fields = keepFields ?? declared
  if (fields === undefined) return undefined
  const wanted = fields.map(({ keyname, datatype }) => ({ keyname, datatype }))
  return { fields: wanted, keepsOthers: keepFields === undefined }
}

interface Task {
  readonly source: ImportSource
  readonly context: ImportContext
}

/** Fills the staging table of an import. */
interface StagingWriter {
  /** Fills a new table, and drops an earlier one of the same import. */
  take(rows: RowSet): Promise<void>
  /** Turns the filled table into a feature table. */
  finish(summary: SourceSummary): Promise<Staged>
  /** Drops the table. */
  discard(): Promise<void>
  /** Stops touching the table. */
  close(): void
}

interface FilledTable extends Columns {
  readonly tableName: string
  readonly geometryType: GeometryType
}

function openStagingWriter(task: Task): StagingWriter {
  const { source, context } = task
  const { database, instance, log, onProgress } = context
  let filled: FilledTable | undefined
  let count = 0
  const discard = async () => {
    const name = filled?.tableName
    filled = undefined
    if (name !== undefined) await discardStaging(context, name)
  }
  const timer = setInterval(() => {
    if (filled === undefined) return
    const table = filled.tableName
    touchStaging(database, table).catch((error: unknown) =>
      log.warn({ error, table }, 'cannot touch the staging table of a running import'),
    )
  }, touchIntervalMs)
  return {
    async take({ layout, copies }) {
      await discard()
      const { geometryType } = layout
      const planned = planColumns(layout, source.keepFields)
      const columns = planned.fields.map(({ columnName, datatype }) => ({ name: columnName, datatype }))
      const options = { instance, geometryType, srs: source.srs, columns }
      const tableName = await createStaging(database, options)
      filled = { ...planned, tableName, geometryType }
      count = await fillTable({ layout, copies }, filled, context)
    },
    async finish(summary) {
      if (filled === undefined || count !== summary.rowCount)
        throw problem('gdal/failed', `received ${count} of ${countOf(summary.rowCount, 'row')}`)
      onProgress?.({ step: 'indexing', features: count, total: count })
      const { tableName, geometryType, fields, renamed } = filled
      await requireUniqueIds(tableName, task)
      await finishFeatureTable(database, tableName)
      await analyzeFeatureTable(database, tableName)
      const { hasIds, rowCount: _, ...found } = summary
      const report = { ...found, renamed, count }
      return { tableName, geometryType, srs: source.srs, fields, hasIds, report, discard }
    },
    discard,
    close: () => clearInterval(timer),
  }
}

/** Columns of the table to fill, and of the rows. */
interface Columns {
  readonly fields: readonly PlannedField[]
  /** Names of the columns of the rows after id and geometry, in order. */
  readonly filled: readonly string[]
  readonly renamed: readonly RenamedField[]
}

/** Assigns columns to the fields of the layer, or to those of the source for a new layer. */
function planColumns({ fields, keynames }: RowLayout, keepFields: ImportSource['keepFields']): Columns {
  if (fields.length > maxFields)
    throw problem('source/unreadable', `the source has ${fields.length} fields; the limit is ${maxFields}`)
  const named = nameFields(fields, keynames)
  const planned = keepFields === undefined ? named.fields : planFields(keepFields)
  const byKeyname = new Map(planned.map(({ keyname, columnName }) => [keyname, columnName]))
  const filled = named.fields.map(({ keyname }) => byKeyname.get(keyname) ?? '')
  return { fields: planned, filled, renamed: named.renamed }
}

/** @returns the number of rows written */
async function fillTable(
  { layout, copies }: RowSet,
  { tableName, filled }: FilledTable,
  { database, signal, onProgress }: ImportContext,
): Promise<number> {
  const total = layout.rowCount
  const columns = ['id', 'geom', ...filled].join(', ')
  let count = 0
  for await (const copy of copies) {
    signal?.throwIfAborted()
    // While the source is still scanned, progress is that of the scan.
    if (total !== undefined) onProgress?.({ step: 'writing', features: count, total })
    count += await database.copyIn(`copy ${tableName} (${columns}) from stdin (format binary)`, copy)
  }
  return count
}

async function requireUniqueIds(tableName: string, { source, context }: Task): Promise<void> {
  if (source.idSource === 'SEQUENCE') return
  const duplicates = await findDuplicateIds(context.database, tableName)
  if (duplicates.length === 0) return
  const examples = duplicates.map(({ id, count }) => `${id} (${countOf(count, 'time')})`)
  throw problem('source/bad-features', `the values of the id field are not unique: ${examples.join(', ')}`, {
    hint: 'Choose another fid_field, or generate ids with fid_source SEQUENCE.',
  })
}

/** Progress of an import. */
export interface ImportProgress {
  /**
   * `reading`: the file is scanned, and written at the same time if it declares its fields. `writing`: features are
   * written after the scan. `indexing`: the table is indexed.
   */
  readonly step: 'reading' | 'writing' | 'indexing'
  /** Number of features processed in this step. */
  readonly features: number
  /** Total number of features, once known. */
  readonly total?: number
}

/** Receives the progress of an import. */
type OnProgress = (progress: ImportProgress) => void
