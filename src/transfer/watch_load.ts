import { setTimeout as sleep } from 'node:timers/promises'
import type { Api } from '../api/api.ts'
import type { AnswerOf } from '../contract/route.ts'
import type { uploadRoutes } from '../contract/routes/upload.ts'

/** How far a server is with reading an upload into a layer. */
export type LoadProgress = NonNullable<AnswerOf<(typeof uploadRoutes)['upload.get']>['loading']>

/** An upload that is being read. */
export interface WatchedLoad {
  readonly uid: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress: (progress: LoadProgress) => void
  /** Between two questions. */
  readonly everyMs?: number
}

const defaultEveryMs = 1000

/** Waits for a request that reads an upload into a layer, and asks meanwhile how far it is. Most servers do not say. */
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
  { uid, signal, onProgress, everyMs = defaultEveryMs }: WatchedLoad,
  done: AbortSignal,
): Promise<void> {
  const over = signal === undefined ? done : AbortSignal.any([done, signal])
  try {
    for (;;) {
      await sleep(everyMs, undefined, { signal: over })
      const { loading } = await api.call('upload.get', { params: { uid }, signal: over })
      if (loading !== undefined) onProgress(loading)
    }
  } catch {
    // The request is over, or the server does not tell: the request itself says what is wrong.
  }
}
