import type { Api } from '../../api/api.ts'
import type { DataChange } from '../data_loss.ts'
import type { PreparedSource } from '../prepare_source.ts'
import { loadTimeoutMs } from '../prepare_source.ts'
import type { FeaturePatch } from './feature_patch.ts'

/** A difference to upload. */
export interface UploadedDifference {
  /** SHA-256 of the source, in hexadecimal. */
  readonly sha256: string
  /** Version of the data that the features were compared with. */
  readonly dataVersion: number
  readonly change: DataChange | undefined
  readonly patch: FeaturePatch
}

/**
 * Uploads the changes of features, for a request that writes them into the layer.
 *
 * @throws {Problem} http/*, upload/*
 */
export async function uploadDifference(
  api: Api,
  { sha256, dataVersion, change, patch }: UploadedDifference,
  signal: AbortSignal | undefined,
): Promise<PreparedSource> {
  const source = { sha256, fields: [], ...(change === undefined ? {} : { change }) }
  if (patch.count === 0) return { ...source, changes: { dataVersion } }
  const chunks = patch.chunks()
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  const upload = await api.call('upload.raw', {
    stream: streamOf(chunks),
    headers: { 'content-type': 'application/json', 'content-length': String(size) },
    signal,
    timeoutMs: loadTimeoutMs,
  })
  return { ...source, changes: { upload, dataVersion } }
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
