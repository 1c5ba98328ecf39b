import type { Api } from '../api/api.ts'
import type { WireImportReport } from '../contract/import_report.ts'
import { tryAgain } from './again.ts'
import { type DataChange, dataChangeOf } from './data_loss.ts'
import { uploadFile } from './upload.ts'
import { type LoadProgress, watchLoad } from './watch_load.ts'

/** A file that is to become the data of a layer. */
export interface SourceFile {
  /** Path on this machine. */
  readonly path: string
  /** Class of the layer. */
  readonly cls: string
  /** The layer, where it stands already. */
  readonly id?: number | undefined
  /** How the file is read: members of the class. */
  readonly options: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (sentBytes: number, sizeBytes: number) => void
  /** Told how far the server is with reading it, where it says so. */
  readonly onLoading?: (progress: LoadProgress) => void
  /** Between two questions for that. */
  readonly askEveryMs?: number
}

/** A field that data have, by the name it gets in the layer. */
export interface LoadedField {
  readonly keyname: string
  readonly datatype: string
}

/** Data that are on the server, checked, and wait for the request that writes them into a layer. */
export interface PreparedSource {
  /** What that request refers to them by; good for one day and one use. */
  readonly token: string
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  readonly fields: readonly LoadedField[]
  /** What became of the file; none of a picture. */
  readonly report?: WireImportReport
  /** What the load changes; none for a new layer, and of a picture. */
  readonly change?: DataChange
  /** Version of the data that are to be replaced. */
  readonly dataVersion?: number
}

/**
 * Uploads a file and has the server read and check it, without changing anything yet.
 *
 * @throws {Problem} file/not-found, file/unreadable, and what the server refuses: the same as where the file were loaded
 */
export async function prepareSource(api: Api, source: SourceFile): Promise<PreparedSource> {
  const { path, cls, id, options, signal, onProgress, onLoading = () => undefined, askEveryMs } = source
  const { upload, sha256 } = await uploadFile(api, { path, signal, ...(onProgress ? { onProgress } : {}) })
  const body = { cls, ...(id === undefined ? {} : { id }), [cls]: { ...options, source: upload } }
  // What was prepared for an answer that was lost is forgotten after a day.
  const preparing = tryAgain(() => api.call('source.prepare', { body, signal, timeoutMs: loadTimeoutMs }), {
    signal,
  })
  const watched = {
    uid: upload.id,
    signal,
    onProgress: onLoading,
    ...(askEveryMs ? { everyMs: askEveryMs } : {}),
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

/** Longest wait for a server that reads a file into a layer: a large one takes as long as it takes. */
export const loadTimeoutMs = 3_600_000

/** Has the server forget prepared data. They would go by themselves after a day. */
export async function discardSource(api: Api, token: string, signal?: AbortSignal): Promise<void> {
  await api.call('source.discard', { params: { uid: token }, signal })
}
