import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RasterFacts, RasterStatistics } from '../../../contract/bodies/raster.ts'
import { rasterLayer } from '../../../contract/classes/raster_layer.ts'
import { problem } from '../../../contract/problems.ts'
import type { Members } from '../../../contract/registry.ts'
import type { Pointer } from '../../../core/pointer.ts'
import type { Problem } from '../../../core/problem.ts'
import type { Queryable } from '../../../database/database.ts'
import type { Blob } from '../../../files/blob_store.ts'
import { readRaster } from '../../../gdal/raster/read_raster.ts'
import { adoptRasters, findRasters, type Raster } from '../../../store/classes/raster_layer.ts'
import {
  deletePreparedRaster,
  findPreparedRaster,
  insertPreparedRaster,
} from '../../../store/upload/prepared_raster.ts'
import type { StoredUpload } from '../../../store/upload/stored_upload.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { getUpload, uploadNotFound } from '../../upload/upload_text.ts'
import type { BehaviourOf, MemberChange, Preparation, Prepared, SourceBehaviour } from '../behaviour.ts'

type Task = Preparation<'raster_layer'>

/** A raster that was read before the transaction of the request. */
interface RasterSource extends Prepared {
  /** Id of the prepared raster. */
  readonly preparedId: string
  /** Properties of the raster, if this request has read it. */
  readonly facts: RasterFacts | undefined
}

const { srs: rasterSrs } = rasterLayer.data

const pointer: Pointer = '/raster_layer/source'

/** Prepared sources of raster layers, kept for a day. They are stored as soon as they are read. */
const rasterSource: SourceBehaviour<'raster_layer'> = {
  async read(task) {
    const source = await prepareRaster(task)
    if (source?.facts === undefined) return undefined
    const { srs, xsize, ysize, colorInterpretation } = source.facts
    const raster = { srs: { id: srs }, xsize, ysize, band_count: colorInterpretation.length }
    return { keep: async () => ({ id: source.preparedId, raster }), discard: source.discard }
  },
  async drop(database, source) {
    const found = await findPreparedRaster(database, source)
    if (found !== undefined) await deletePreparedRaster(database, found.id)
    return found !== undefined
  },
}

/** Rasters stored by the server. */
export const rasterLayerBehaviour: BehaviourOf<'raster_layer'> = {
  async readMembers(tx, ids) {
    const rasters = await findRasters(tx, ids)
    return new Map([...rasters].map(([id, raster]) => [id, membersOf(raster)]))
  },
  prepare: prepareRaster,
  source: rasterSource,
  async create(tx, changes) {
    for (const { members, prepared } of changes) {
      checkReferenceSystem(members)
      if (!isRasterSource(prepared))
        throw invalidAt(
          '/raster_layer',
          'missing field "source"',
          'Upload a GeoTIFF, and set "source" to its upload.',
        )
    }
    await adopt(tx, changes)
  },
  async update(tx, changes) {
    for (const { members } of changes) checkReferenceSystem(members)
    await adopt(tx, changes)
  },
}

async function adopt(tx: Queryable, changes: readonly MemberChange<'raster_layer'>[]): Promise<void> {
  const prepared = new Map(
    changes.flatMap(({ id, prepared: source }) =>
      isRasterSource(source) ? [[id, source.preparedId] as const] : [],
    ),
  )
  const [lost] = await adoptRasters(tx, prepared)
  if (lost !== undefined)
    throw notPrepared(
      `prepared source ${JSON.stringify(prepared.get(lost))} was deleted or is used by another layer`,
    )
}

function membersOf(raster: Raster): Members<'raster_layer'> {
  const { srs, xsize, ysize, dtype, colorInterpretation, geoTransform, dataVersion, statistics } = raster
  return {
    raster_layer: {
      srs: { id: srs },
      xsize,
      ysize,
      band_count: colorInterpretation.length,
      dtype,
      color_interpretation: [...colorInterpretation],
      geo_transform: [...geoTransform],
      statistics: statistics?.map(shownStatistics) ?? null,
      data_version: dataVersion,
    },
  }
}

function shownStatistics({ min, max, mean, stdDev }: RasterStatistics) {
  return { min, max, mean, std_dev: stdDev }
}

/** Tells whether what was prepared for a request is a raster. */
function isRasterSource(prepared: unknown): prepared is RasterSource {
  return typeof prepared === 'object' && prepared !== null && 'preparedId' in prepared
}

/**
 * Reads the source of a request into a prepared raster; undefined if the request has none.
 *
 * @throws {Problem} request/invalid, upload/not-found, source/*, files/full, gdal/*
 */
async function prepareRaster(task: Task): Promise<RasterSource | undefined> {
  const { context, caller, members } = task
  checkReferenceSystem(members)
  const source = members.raster_layer?.source
  if (source === undefined) return undefined
  if (source.prepared !== undefined) return takePrepared(task, source.prepared)
  if (source.id === undefined) throw invalidAt(pointer, 'expected the id of an upload, or "prepared"')
  const { database, log } = context
  const upload = await getUpload(database, { id: source.id, pointer, userId: caller.id })
  const sourceName = source.name ?? upload.name
  const { facts, blob } = await readUpload(task, { upload, name: sourceName ?? '' })
  const layerId = task.id ?? null
  const stored = { userId: caller.id, layerId, blob, sourceDigest: upload.digest, sourceName, facts }
  const preparedId = await insertPreparedRaster(database, stored)
  if (preparedId === undefined) throw uploadNotFound({ id: source.id, pointer })
  log.info({ resource: task.id, ...facts, bytes: blob.sizeBytes }, 'raster read')
  return { preparedId, facts, discard: () => deletePreparedRaster(database, preparedId) }
}

/** Converts an upload to the stored raster. If that fails, no row refers to its content, which is garbage collected. */
async function readUpload(
  { context, signal }: Task,
  { upload, name }: { readonly upload: StoredUpload; readonly name: string },
): Promise<{ facts: RasterFacts; blob: Blob }> {
  const { blobs, temporaryFolder, uploadLimitBytes } = context
  const folder = await mkdtemp(join(temporaryFolder, 'raster-'))
  try {
    const limits = { unpackLimitBytes: 4 * uploadLimitBytes, pixelLimitBytes: 2 * uploadLimitBytes }
    const source = await blobs.localPath(upload.digest)
    const { facts, path } = await readRaster(
      { path: source, name, folder, srs: rasterSrs, ...limits },
      { signal },
    )
    return { facts, blob: await blobs.put(createReadStream(path)) }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Finds a raster prepared by an earlier request. It is deleted when a layer uses it, or after a day. */
async function takePrepared({ context, caller, id }: Task, preparedId: string): Promise<RasterSource> {
  const found = await findPreparedRaster(context.database, { id: preparedId, userId: caller.id })
  if (found === undefined) throw notPrepared(`prepared source ${JSON.stringify(preparedId)} does not exist`)
  if (found.layerId !== (id ?? null)) {
    const target = found.layerId === null ? 'a new layer' : `layer ${found.layerId}`
    throw notPrepared(`the source was prepared for ${target}`)
  }
  return { preparedId, facts: undefined, discard: async () => undefined }
}

/** Returns the problem of a prepared raster that the request cannot use. */
function notPrepared(message: string): Problem {
  return problem('source/not-prepared', message, { data: { location: ['body', `${pointer}/prepared`] } })
}

/**
 * Checks that the reference system of a request is the one that raster layers have.
 *
 * @throws {Problem} request/invalid
 */
function checkReferenceSystem({ raster_layer: own }: Members<'raster_layer'>): void {
  const srs = own?.srs?.id
  if (srs === undefined || srs === rasterSrs) return
  throw invalidAt('/raster_layer/srs/id', `raster layers are stored in EPSG:${rasterSrs}, not EPSG:${srs}`)
}
