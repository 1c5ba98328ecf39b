import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../api/api.ts'
import type { AnswerOf } from '../contract/route.ts'
import type { uploadRoutes } from '../contract/routes/upload.ts'

/** Progress of a server that loads an upload into a layer. */
export type LoadProgress = NonNullable<AnswerOf<(typeof uploadRoutes)['upload.get']>['loading']>

/** An upload that the server is loading. */
export interface WatchedLoad {
  readonly uid: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress: (progress: LoadProgress) => void
  /** Interval of requests for the progress. */
  readonly intervalMs?: number
}

const defaultIntervalMs = 1000

/** Waits for a request that loads an upload, and polls its progress, which not every server reports. */
export async function watchLoad<T>(api: Api, load: WatchedLoad, request: Promise<T>): Promise<T> {
  const done = new AbortController()
  const watching = watch(api, load, done.signal)
  try {
    return await request
  } finally {
    done.abort()
    await watching
  }
}

async function watch(
  api: Api,
  { uid, signal, onProgress, intervalMs = defaultIntervalMs }: WatchedLoad,
  done: AbortSignal,
): Promise<void> {
  const over = signal === undefined ? done : AbortSignal.any([done, signal])
  try {
    for (;;) {
      await sleep(intervalMs, undefined, { signal: over })
      const { loading } = await api.call('upload.get', { params: { uid }, signal: over })
      if (loading !== undefined) onProgress(loading)
    }
  } catch {
    // The request has ended, or the server does not report progress. Errors surface in the request itself.
  }
}
