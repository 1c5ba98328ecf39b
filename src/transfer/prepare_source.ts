import type { Api } from '../api/api.ts'
import type { WireImportReport } from '../contract/bodies/import_report.ts'
import type { Upload } from '../contract/bodies/resource.ts'
import { type DataChange, dataChangeOf } from './data_loss.ts'
import { uploadSource } from './pack.ts'
import { sendWithRetries } from './retry_request.ts'
import { writeSource } from './source_encoding.ts'
import { type LoadProgress, watchLoad } from './watch_load.ts'

/** A file to load into a layer. */
export interface SourceFile {
  /** Path on this machine. */
  readonly path: string
  /** Class of the layer. */
  readonly cls: string
  /** Id of an existing layer. */
  readonly id?: number | undefined
  /** Load options: members of the class, and the encoding. */
  readonly options: Readonly<Record<string, unknown>>
  /** Datatypes to which the values of fields are converted. */
  readonly fields?: readonly LoadedField[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (sentBytes: number, sizeBytes: number) => void
  /** Receives the progress of the server, if it reports it. */
  readonly onLoading?: (progress: LoadProgress) => void
  /** Interval of requests for the progress. */
  readonly pollIntervalMs?: number
}

/** A loaded field, with its keyname in the layer. */
export interface LoadedField {
  readonly keyname: string
  readonly datatype: string
}

/** Uploaded changes of features. */
export interface UploadedChanges {
  /** Absent if no feature changes. */
  readonly upload?: Upload
  readonly dataVersion: number
}

/** Data that the server has read and checked, ready to be written into a layer by a later request. */
export interface PreparedSource {
  /** Reference for that request; valid for one day and one use. Absent for changes of features. */
  readonly token?: string
  /** Upload with changes of features, and the version of the data that they are based on. */
  readonly changes?: UploadedChanges
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  readonly fields: readonly LoadedField[]
  /** Result of the import; absent for a raster. */
  readonly report?: WireImportReport
  /** Data change of the load; absent for a new layer and for a raster. */
  readonly change?: DataChange
  /** Version of the data to replace. */
  readonly dataVersion?: number
}

/**
 * Uploads a file and lets the server read and check it without changing any data.
 *
 * @throws {Problem} file/not-found, file/unreadable, and the errors of the server that loading the file would cause
 */
export async function prepareSource(api: Api, source: SourceFile): Promise<PreparedSource> {
  const {
    path,
    cls,
    id,
    options,
    fields: declared,
    signal,
    onProgress,
    onLoading = () => undefined,
    pollIntervalMs,
  } = source
  const { upload, sha256 } = await uploadSource(api, { path, signal, ...(onProgress ? { onProgress } : {}) })
  const body = {
    cls,
    ...(id === undefined ? {} : { id }),
    [cls]: writeSource(options, upload),
    ...memberOf(declared),
  }
  // A source whose response was lost expires after a day.
  const preparing = sendWithRetries(
    () => api.call('source.prepare', { body, signal, timeoutMs: loadTimeoutMs }),
    {
      signal,
    },
  )
  const watched = {
    uid: upload.id,
    signal,
    onProgress: onLoading,
    ...(pollIntervalMs ? { intervalMs: pollIntervalMs } : {}),
  }
  const answer = await watchLoad(api, watched, preparing)
  const { id: token, fields = [], report, replaces } = answer
  const change = dataChangeOf(answer)
  return {
    token,
    sha256,
    fields,
    ...(report === undefined ? {} : { report }),
    ...(change === undefined ? {} : { change }),
    ...(replaces === undefined ? {} : { dataVersion: replaces.data_version }),
  }
}

const memberOf = (fields: SourceFile['fields']) =>
  fields === undefined
    ? {}
    : { feature_layer: { fields: fields.map(({ keyname, datatype }) => ({ keyname, datatype })) } }

/** Time-out of requests that read a file into a layer, which can take long for large files. */
export const loadTimeoutMs = 3_600_000

/** Discards prepared data, which otherwise expire after a day. */
export async function discardSource(
  api: Api,
  token: string | undefined,
  signal?: AbortSignal,
): Promise<void> {
  if (token === undefined) return
  await api.call('source.discard', { params: { uid: token }, signal })
}
