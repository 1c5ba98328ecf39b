import type { Api } from '../../api/api.ts'
import type { Field } from '../../contract/classes/feature_layer.ts'
import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { countValues, findLostFields } from '../count_values.ts'
import { type DataChange, type LossLimits, refuseDataLoss } from '../data_loss.ts'
import { loadTimeoutMs } from '../prepare_source.ts'
import { compareFeatures, type SyncResult, type SyncTarget } from './compare_features.ts'
import { countVersions, type FeatureDifference } from './feature_difference.ts'
import { featureReader } from './feature_reader.ts'
import { listSyncedFields, type SyncedFields } from './synced_fields.ts'
import { uploadPatch } from './upload_patch.ts'

/** A layer that is made equal to a source. */
export interface SyncedLayer extends Omit<SyncTarget, 'fields'> {
  /** Name in messages. */
  readonly name: string
  readonly fields: readonly Field[]
  /** Version of the data; undefined if the server does not report it. */
  readonly dataVersion: number | undefined
  /** Version of descriptions and attachments of its features; undefined if the server does not report it. */
  readonly extensionsVersion: number | undefined
}

/** A synchronization. */
export interface LayerSync {
  readonly layer: SyncedLayer
  readonly source: Parameters<typeof compareFeatures>[1]['source']
  /** Keynames of the fields that identify a feature. */
  readonly key: readonly string[]
  /** Keys of rows that are left out of the source because they are bad; undefined for a key that cannot be read. */
  readonly badKeys?: readonly (readonly string[] | undefined)[]
  /** Limits of the data loss; unlimited if absent. */
  readonly limits?: LossLimits | undefined
  /** Number of rows of the source; undefined if unknown. */
  readonly sent?: number | undefined
  /** Returns metadata items to write, for the version of the data after the synchronization. */
  readonly metadata?: (dataVersion: number) => Readonly<Record<string, string>>
}

/** Result of a synchronization. */
export interface SyncOutcome {
  readonly change: DataChange
  readonly difference: FeatureDifference
  readonly summary: SyncResult['summary']
  readonly fields: SyncedFields | undefined
  /** Version of the data after the synchronization. */
  readonly dataVersion: number
}

/**
 * Makes a layer equal to a source by changing only the features that differ, in one transaction.
 *
 * @throws {Problem} data/loss, data/key, data/not-comparable, source/*, gdal/*, pipeline/counts; resource/stale if the
 *   data were changed meanwhile, or attachments and descriptions of features of a layer that loses some. The layer is unchanged then.
 */
export async function syncLayer(
  api: Api,
  sync: LayerSync,
  signal: AbortSignal | undefined,
): Promise<SyncOutcome> {
  const { layer, source, limits } = sync
  const { dataVersion, ...compared } = await compare(api, sync, signal)
  const { difference, before, summary } = compared
  const after = compared.after + (difference.kept?.count ?? 0)
  const filled = { ...layer, after, filledFields: summary.filledFields }
  const lostFields = await findLostFields(filled, (field) => countValues(api, field, signal))
  const { attachments: lostAttachments, descriptions: lostDescriptions } = difference.removedExtensions
  const change = { before, after, lostFields, lostAttachments, lostDescriptions, difference }
  if (limits !== undefined) refuseDataLoss(layer.name, change, limits)
  const fields = source.options.keep_fields === true ? undefined : listSyncedFields(difference, layer.fields)
  const versions = countVersions(difference, (fields?.dropped.length ?? 0) > 0)
  const outcome = { change, difference, summary, fields, dataVersion: dataVersion + versions }
  const upload = await uploadPatch(api, difference.patch, signal)
  const changes = upload && { source: upload, data_version: dataVersion }
  const body = bodyOf(sync, outcome, changes)
  const request = { params: { id: layer.id }, body, signal, timeoutMs: loadTimeoutMs }
  if (Object.keys(body).length > 0) await api.call('resource.update', request)
  return outcome
}

async function compare(
  api: Api,
  { layer, source, key, badKeys = [], sent }: LayerSync,
  signal: AbortSignal | undefined,
): Promise<SyncResult & { readonly dataVersion: number }> {
  const { dataVersion, name } = layer
  const question = { source, target: layer, key, badKeys }
  const result =
    dataVersion === undefined ? undefined : await compareFeatures(featureReader(api, signal), question)
  if (result === undefined || dataVersion === undefined)
    throw problem('data/not-comparable', `The server cannot compare the features of "${name}".`)
  if (sent !== undefined && sent !== result.after)
    throw problem(
      'pipeline/counts',
      `${countOf(sent, 'row')} written for "${name}", but ${result.after} read.`,
    )
  return { ...result, dataVersion }
}

function bodyOf(
  { layer: { extensionsVersion: extensions }, metadata }: LayerSync,
  { difference: { geometryType, removed }, fields, dataVersion }: SyncOutcome,
  changes: object | undefined,
): Readonly<Record<string, object>> {
  const own = {
    ...(geometryType === undefined ? {} : { geometry_type: geometryType }),
    ...(changes === undefined ? {} : { feature_changes: changes }),
    ...(removed === 0 || extensions === undefined ? {} : { if_extensions_version: extensions }),
  }
  return {
    ...(Object.keys(own).length === 0 ? {} : { vector_layer: own }),
    ...(fields === undefined ? {} : { feature_layer: { fields: fields.fields } }),
    ...(metadata === undefined ? {} : { resmeta: { items: metadata(dataVersion) } }),
  }
}
