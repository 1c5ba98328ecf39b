import type { Api } from '../../api/api.ts'
import type { Upload } from '../../contract/bodies/resource.ts'
import { loadTimeoutMs } from '../prepare_source.ts'
import type { FeaturePatch } from './feature_patch.ts'

/**
 * Uploads changes of features, for a request that writes them into the layer; undefined if there are none.
 *
 * @throws {Problem} http/*, upload/*
 */
export async function uploadPatch(
  api: Api,
  patch: FeaturePatch,
  signal: AbortSignal | undefined,
): Promise<Upload | undefined> {
  if (patch.count === 0) return undefined
  const chunks = patch.chunks()
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  return api.call('upload.raw', {
    stream: streamOf(chunks),
    headers: { 'content-type': 'application/json', 'content-length': String(size) },
    signal,
    timeoutMs: loadTimeoutMs,
  })
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
