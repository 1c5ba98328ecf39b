import PQueue from 'p-queue'
import { isProblem, type Problem } from '../../core/problem.ts'
import { type DataChange, dataLossProblem, losesData } from '../../transfer/data_loss.ts'
import {
  discardSource,
  type LoadedField,
  type PreparedSource,
  prepareSource,
} from '../../transfer/prepare_source.ts'
import { placeEncoding } from '../../transfer/source_encoding.ts'
import { uploadPatch } from '../../transfer/sync/upload_patch.ts'
import type { Change, DataLoad } from '../model/change.ts'
import { droppedFields, renamedFieldOf } from '../model/layer_fields.ts'
import { lossHint, withoutDropped } from '../plan/data/decide_load.ts'
import type { ApplyOptions } from './apply_options.ts'
import { isCreated } from './batch_operations.ts'
import { asProblem } from './schedule_steps.ts'
import { explainStaleData, stale } from './stale.ts'
import { type FileUploads, hasFiles, uploadFiles } from './upload_files.ts'

/** Prepared data for the batch, and failures. */
export interface PreparedLoads {
  readonly sources: ReadonlyMap<Change, PreparedSource>
  /** Uploads of files. */
  readonly uploads: ReadonlyMap<Change, FileUploads>
  readonly faults: ReadonlyMap<Change, Problem>
}

/** Maximum number of concurrent preparations, which are CPU-bound on the server. */
const maxPreparations = 3

/**
 * Uploads and checks the data of all changes, a few concurrently. Continues after rejected data to report all of them;
 * any other failure stops the rest.
 */
export async function prepareLoads(options: ApplyOptions): Promise<PreparedLoads> {
  const { plan, concurrency = maxPreparations, signal } = options
  const sources = new Map<Change, PreparedSource>()
  const uploads = new Map<Change, FileUploads>()
  const faults = new Map<Change, Problem>()
  const failing = new AbortController()
  const stop = AbortSignal.any([failing.signal, ...(signal === undefined ? [] : [signal])])
  const queue = new PQueue({ concurrency: Math.min(concurrency, maxPreparations) })
  const work = async (change: Change) => {
    if (stop.aborted) return
    options.onEvent?.({ type: 'started', change })
    try {
      const source = change.data === undefined ? undefined : await prepareLoad(options, change, stop)
      if (source !== undefined) sources.set(change, source)
      const files = hasFiles(change) ? await uploadFiles(options, change, stop) : undefined
      if (files !== undefined) uploads.set(change, files)
      tellPrepared(options, change, { source, files })
    } catch (error) {
      if (isProblem(error, 'pipeline/interrupted')) return
      const fault = faultOf(change, asProblem(error))
      faults.set(change, fault)
      if (!isSourceFault(fault)) failing.abort()
    }
  }
  for (const change of plan.changes)
    if (change.data !== undefined || hasFiles(change)) void queue.add(() => work(change))
  await queue.onIdle()
  return { sources, uploads, faults }
}

/** Reports whether a fault concerns only one source. */
const isSourceFault = ({ code, status }: Problem) =>
  status === 422 || ['apply/stale', 'data/loss', 'file/not-found', 'file/unreadable'].includes(code)

/**
 * Uploads and checks the data of a change.
 *
 * @throws {Problem} data/loss if the load would lose more than the change allows, apply/stale if the data were edited
 *   after planning, and errors of the server
 */
export async function prepareLoad(
  { api, onEvent }: Pick<ApplyOptions, 'api' | 'onEvent'>,
  change: Change,
  signal: AbortSignal | undefined,
): Promise<PreparedSource> {
  const { data, cls } = change
  if (data === undefined) throw new TypeError(`"${change.key}" has no data`)
  const difference = await uploadDifference(api, data, signal)
  if (difference !== undefined) return difference
  const source = await prepareSource(api, {
    path: data.path,
    cls,
    id: isCreated(change) ? undefined : change.id,
    options: data.options,
    fields: change.fieldsAfterLoad as readonly LoadedField[] | undefined,
    signal,
    onProgress: (sentBytes, sizeBytes) => onEvent?.({ type: 'uploading', change, sentBytes, sizeBytes }),
    onLoading: (progress) => onEvent?.({ type: 'loading', change, progress }),
  }).catch((error: unknown) => {
    throw placeEncoding(error, 'data.encoding')
  })
  const isStale = source.dataVersion !== undefined && source.dataVersion !== data.version - 1
  const fault = isStale ? await explainStaleData(api, change, { signal }) : checkLoad(change, source)
  if (fault !== undefined) {
    await discardSource(api, source.token, signal).catch(() => undefined)
    throw fault
  }
  return source
}

/** Reports once that the data and files of a change are uploaded. */
export function tellPrepared(
  { onEvent }: Pick<ApplyOptions, 'onEvent'>,
  change: Change,
  { source, files }: { readonly source: PreparedSource | undefined; readonly files: FileUploads | undefined },
): void {
  if (source === undefined && (files === undefined || files.size === 0)) return
  // The plan has told the changes of a synchronization.
  const load = source?.changes === undefined ? source?.change : undefined
  onEvent?.({ type: 'prepared', change, ...(load === undefined ? {} : { load }) })
}

/** Uploads the difference of a synchronization; undefined for other loads. */
async function uploadDifference(
  api: ApplyOptions['api'],
  { sync, change }: DataLoad,
  signal: AbortSignal | undefined,
): Promise<PreparedSource | undefined> {
  if (sync === undefined || change?.difference === undefined) return undefined
  const upload = await uploadPatch(api, change.difference.patch, signal)
  const changes = { dataVersion: sync.dataVersion, ...(upload === undefined ? {} : { upload }) }
  return { sha256: sync.sha256, fields: [], change, changes }
}

function faultOf(change: Change, fault: Problem): Problem {
  return fault.code === 'resource/not-found' ? stale(change, 'deleted') : fault
}

/** Checks a prepared source against the plan. Pure. */
function checkLoad(change: Change, source: PreparedSource): Problem | undefined {
  const { data, key } = change
  if (data === undefined || source.change === undefined) return undefined
  if (data.lossFuse === undefined) return undefined
  const load = withoutListed(withoutDropped(source.change, namesGone(change, source)), change)
  return losesData(load, data.lossFuse) ? dataLossProblem(key, load, lossHint(key)) : undefined
}

/** Keynames that the plan drops, or of which the source has the new one. */
function namesGone({ edits }: Change, { fields }: PreparedSource): Set<string> {
  const loaded = new Set(fields.map(({ keyname }) => keyname))
  const renamed = edits.flatMap((edit) => (loaded.has(renamedFieldOf(edit) ?? '') ? [String(edit.from)] : []))
  return new Set([...droppedFields(edits), ...renamed])
}

/** Descriptions and attachments that the change writes again are not lost; the plan has checked those that it does not. */
function withoutListed(load: DataChange, { features }: Change): DataChange {
  const { clear = [] } = features ?? {}
  return {
    ...load,
    ...(clear.includes('attachment') ? { lostAttachments: 0 } : {}),
    ...(clear.includes('description') ? { lostDescriptions: 0 } : {}),
  }
}
