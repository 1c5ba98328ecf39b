import { createReadStream } from 'node:fs'
import type { Queryable } from '../../../database/database.ts'
import { ensureFeatureTable } from '../../../store/layer/layer_table.ts'
import { findLayers, type Layer } from '../../../store/layer/stored_layer.ts'
import { readTarget, type WriteQuery } from '../../features/feature_content.ts'
import { patchFeatures } from '../../features/patch_features.ts'
import { invalidAt } from '../../http/invalid_request.ts'
import { readJsonItems } from '../../http/json_items.ts'
import { staleData } from '../../resource/stale_data.ts'
import { getUpload } from '../../upload/upload_text.ts'
import type { Preparation, Prepared } from '../behaviour.ts'

/** An upload with changes of features, to read in the transaction of the request. */
export interface StagedChanges extends Prepared {
  /** Path of the JSON list. */
  readonly changesPath: string
  /** Version of the data that the changes are based on. */
  readonly dataVersion: number
  readonly itemLimitBytes: number
  /** The user whose uploads the changes refer to. */
  readonly userId: number
}

/** Tells whether what was prepared for a request is changes of features. */
export function isStagedChanges(prepared: unknown): prepared is StagedChanges {
  return typeof prepared === 'object' && prepared !== null && 'changesPath' in prepared
}

/** Maximum number of features that a request changes with an upload. */
const maxChanges = 2_000_000

const format: WriteQuery = { dt_format: 'iso', geom_format: 'wkt', geom_null: true }

/**
 * Finds the upload with the changes of features of a request; undefined if the request has none.
 *
 * @throws {Problem} upload/not-found, request/invalid
 */
export async function findFeatureChanges({
  context: { database, blobs, bodyLimitBytes },
  caller,
  id: layerId,
  members,
}: Preparation<'vector_layer'>): Promise<StagedChanges | undefined> {
  const changes = members.vector_layer?.feature_changes
  if (changes === undefined) return undefined
  if (layerId === undefined || members.vector_layer?.source !== undefined) {
    const message = 'changes of features are not allowed in a creation, or together with a source'
    throw invalidAt('/vector_layer/feature_changes', message)
  }
  const named = { id: changes.source.id ?? '', pointer: '/vector_layer/feature_changes/source' }
  const upload = await getUpload(database, { ...named, userId: caller.id })
  return {
    changesPath: await blobs.localPath(upload.digest),
    dataVersion: changes.data_version,
    userId: caller.id,
    itemLimitBytes: bodyLimitBytes,
    discard: async () => undefined,
  }
}

/**
 * Makes sure that the data of a layer have not changed.
 *
 * @throws {Problem} resource/stale
 */
export function requireDataVersion({ resourceId, dataVersion }: Layer, wanted: number): void {
  if (dataVersion !== wanted) throw staleData(resourceId, dataVersion, wanted)
}

/**
 * Writes the changes of features to a layer, which must be locked. Returns whether data changed.
 *
 * @throws {Problem} request/invalid, feature/invalid, feature/not-found
 */
export async function writeFeatureChanges(
  tx: Queryable,
  id: number,
  { changesPath, itemLimitBytes, userId }: StagedChanges,
): Promise<boolean> {
  const layer = (await findLayers(tx, [id])).get(id)
  if (layer === undefined) return false
  const target = await readTarget(tx, await ensureFeatureTable(tx, layer), format)
  const entries = readJsonItems(createReadStream(changesPath), { itemLimitBytes })
  const { effect } = await patchFeatures(tx, target, { entries, query: format, userId, limit: maxChanges })
  return effect === 'data'
}
