import type { Log } from '../../core/log.ts'
import type { ImportProgress } from '../../import/stage_source.ts'

/** How far the uploads are that this process is reading into layers, by their ids. */
export interface Loads {
  /** Gives how far an upload is; undefined where this process is not reading it. */
  find(uploadId: string): ImportProgress | undefined
  /** Does the work of reading an upload, and tells of it in the log where it takes long. */
  follow<T>(load: Load, work: (onProgress: (progress: ImportProgress) => void) => Promise<T>): Promise<T>
}

/** An upload that is read. */
export interface Load {
  readonly uploadId: string
  readonly log: Log
}

/** Silence longer than this reads as a hang. */
const logEveryMs = 10_000

/** Opens the list of what is being read; `logEvery` is in milliseconds. */
export function openLoads(logEvery = logEveryMs): Loads {
  const running = new Map<string, ImportProgress>()
  return {
    find: (uploadId) => running.get(uploadId),
    async follow({ uploadId, log }, work) {
      const timer = setInterval(() => {
        log.info({ upload: uploadId, ...running.get(uploadId) }, 'a source is being read')
      }, logEvery)
      try {
        return await work((progress) => running.set(uploadId, progress))
      } finally {
        clearInterval(timer)
        running.delete(uploadId)
      }
    },
  }
}
