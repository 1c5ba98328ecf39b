import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { maxFields } from '../contract/classes/feature_layer.ts'
import { type GeometryFamily, type GeometryType, geometryParts } from '../contract/geometry.ts'
import { problem } from '../contract/problems.ts'
import { countOf } from '../core/count.ts'
import type { Log } from '../core/log.ts'
import type { Database } from '../database/database.ts'
import { type RowSet, readVector } from '../gdal/read_vector.ts'
import type { LoadRules, RowLayout, SourceSummary, WantedFields } from '../gdal/runner/vector_job.ts'
import { type PlannedField, planFields } from '../store/layer/plan_fields.ts'
import {
  createStaging,
  findTakenIds,
  finishFeatureTable,
  keepStaging,
  settleFeatureTable,
} from '../store/layer/staging_table.ts'
import type { LayerField } from '../store/layer/stored_layer.ts'
import { nameFields, type RenamedField } from './names.ts'
import { discardStaging, type StagingOwner } from './orphans.ts'

/** What is imported, and how. */
export interface ImportSource extends LoadRules {
  /** The file; it stays until the import has ended. */
  readonly path: string
  /** Name its owner gave it. */
  readonly name: string
  readonly encoding?: string | undefined
  /** Layer to take, where there are several. */
  readonly layer?: string | undefined
  /** EPSG code that the layer is stored in. */
  readonly srs: number
  /** Fields of the layer that the features are for, and are to fit; those of the source where absent. */
  readonly keepFields?: readonly LayerField[] | undefined
  /** What some of the fields of the source are to become. */
  readonly declared?: WantedFields['fields'] | undefined
}

/** What an import works with. */
export interface ImportContext extends StagingOwner {
  readonly database: Database
  readonly log: Log
  /** Folder for files that do not outlive the process. */
  readonly temporaryFolder: string
  /** Most bytes an archive may unpack to. */
  readonly unpackLimitBytes: number
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: OnProgress | undefined
}

/** Features that stand ready for a layer to take over. */
export interface Staged {
  readonly tableName: string
  readonly geometryType: GeometryType
  readonly srs: number
  readonly fields: readonly PlannedField[]
  /** Whether ids come from the source: the same feature has the same id when it comes again. */
  readonly hasIds: boolean
  readonly report: ImportReport
  /** Drops the table, unless a layer has adopted it. */
  discard(): Promise<void>
}

/** What an import did. */
export interface ImportReport
  extends Pick<SourceSummary, 'format' | 'layer' | 'badCount' | 'bad' | 'otherCount'> {
  /** Features that were loaded. */
  readonly count: number
  readonly renamed: readonly RenamedField[]
  readonly notes: readonly string[]
}

/** A piece of two megabytes holds the one session of the embedded database for some 50 ms. */
const pieceBytes = { pglite: 2 << 20, postgres: 8 << 20 } as const

/** How often a table that is being filled says so: less than the time after which it counts as left behind. */
const keepEveryMs = 30_000

/**
 * Reads a file into a table of its own, in short transactions, so that others get their turns on the embedded
 * database; the file is never whole in memory. Nothing is left behind when it fails.
 *
 * @throws {Problem} source/*, gdal/*, request/invalid, database/*
 */
export async function stageSource(source: ImportSource, context: ImportContext): Promise<Staged> {
  const folder = await mkdtemp(join(context.temporaryFolder, 'import-'))
  const filling = openFilling({ source, context })
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
    const onLooked = (features: number, total?: number) =>
      onProgress?.({ step: 'reading', features, ...(total === undefined ? {} : { total }) })
    onLooked(0)
    return await filling.finish(await readVector(job, filling.take, { signal, onLooked }))
  } catch (error) {
    await filling.discard()
    throw error
  } finally {
    filling.close()
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

/** A table that is being filled. */
interface Filling {
  /** Fills a new table; drops the one before, which was filled in vain. */
  take(rows: RowSet): Promise<void>
  /** Makes a table of features of what was filled. */
  finish(summary: SourceSummary): Promise<Staged>
  /** Drops the table. */
  discard(): Promise<void>
  /** Says no longer that the work goes on. */
  close(): void
}

interface Filled extends Columns {
  readonly tableName: string
  readonly geometryType: GeometryType
}

function openFilling(task: Task): Filling {
  const { source, context } = task
  const { database, instance, log, onProgress } = context
  let filled: Filled | undefined
  let count = 0
  const discard = async () => {
    const name = filled?.tableName
    filled = undefined
    if (name !== undefined) await discardStaging(context, name)
  }
  const timer = setInterval(() => {
    if (filled === undefined) return
    const table = filled.tableName
    keepStaging(database, table).catch((error: unknown) =>
      log.warn({ error, table }, 'an import could not say that it goes on'),
    )
  }, keepEveryMs)
  return {
    async take({ layout, copies }) {
      await discard()
      const { geometryType } = layout
      const planned = planColumns(layout, source.keepFields)
      const columns = planned.fields.map(({ columnName, datatype }) => ({ name: columnName, datatype }))
      const order = { instance, geometryType, srs: source.srs, columns }
      const tableName = await createStaging(database, order)
      filled = { ...planned, tableName, geometryType }
      count = await fillTable({ layout, copies }, filled, context)
    },
    async finish(summary) {
      if (filled === undefined || count !== summary.rowCount)
        throw problem('gdal/failed', `${count} of ${countOf(summary.rowCount, 'row')} arrived`)
      onProgress?.({ step: 'indexing', features: count, total: count })
      const { tableName, geometryType, fields, renamed } = filled
      await refuseTakenIds(tableName, task)
      await finishFeatureTable(database, tableName)
      await settleFeatureTable(database, tableName)
      const { hasIds, rowCount: _, ...found } = summary
      const report = { ...found, renamed, count }
      return { tableName, geometryType, srs: source.srs, fields, hasIds, report, discard }
    },
    discard,
    close: () => clearInterval(timer),
  }
}

/** Columns of the table to fill, and those that the rows bring. */
interface Columns {
  readonly fields: readonly PlannedField[]
  /** Names of the columns that the rows have behind id and geometry, in order. */
  readonly filled: readonly string[]
  readonly renamed: readonly RenamedField[]
}

/** Gives the fields of the layer their columns, those of the source where the layer has none yet. */
function planColumns({ fields, keynames }: RowLayout, keepFields: ImportSource['keepFields']): Columns {
  if (fields.length > maxFields)
    throw problem(
      'source/unreadable',
      `the source has ${fields.length} fields, a layer has ${maxFields} at most`,
    )
  const named = nameFields(fields, keynames)
  const planned = keepFields === undefined ? named.fields : planFields(keepFields)
  const byKeyname = new Map(planned.map(({ keyname, columnName }) => [keyname, columnName]))
  const filled = named.fields.map(({ keyname }) => byKeyname.get(keyname) ?? '')
  return { fields: planned, filled, renamed: named.renamed }
}

/** @returns how many rows were written */
async function fillTable(
  { layout, copies }: RowSet,
  { tableName, filled }: Filled,
  { database, signal, onProgress }: ImportContext,
): Promise<number> {
  const total = layout.rowCount
  const columns = ['id', 'geom', ...filled].join(', ')
  let count = 0
  for await (const copy of copies) {
    signal?.throwIfAborted()
    // Of a source that is still looked at, that says more.
    if (total !== undefined) onProgress?.({ step: 'writing', features: count, total })
    count += await database.copyIn(`copy ${tableName} (${columns}) from stdin (format binary)`, copy)
  }
  return count
}

async function refuseTakenIds(tableName: string, { source, context }: Task): Promise<void> {
  if (source.idSource === 'SEQUENCE') return
  const taken = await findTakenIds(context.database, tableName)
  if (taken.length === 0) return
  const examples = taken.map(({ id, count }) => `${id} (${countOf(count, 'time')})`)
  throw problem(
    'source/bad-features',
    `the values of the field for ids are not unique: ${examples.join(', ')}`,
    {
      hint: 'Choose another fid_field, or let ids be counted with fid_source SEQUENCE.',
    },
  )
}

/** Gives the family of the shapes that were staged. */
export function familyOf({ geometryType }: Staged): GeometryFamily {
  return geometryParts(geometryType).family
}

/** How far an import is. */
export interface ImportProgress {
  /**
   * The file is looked at, and written meanwhile if it declares what it holds; else its features are written then; what
   * is written is indexed.
   */
  readonly step: 'reading' | 'writing' | 'indexing'
  /** Features that are done in this step. */
  readonly features: number
  /** All there are, once they were counted. */
  readonly total?: number
}

/** Takes how far an import is, whenever it has come further. */
type OnProgress = (progress: ImportProgress) => void
