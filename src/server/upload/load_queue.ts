import type { Log } from '../../core/log.ts'
import type { ImportProgress } from '../../import/stage_source.ts'

/** Progress of the uploads that this process is importing into layers. */
export interface Loads {
  /** Returns the progress of an upload; undefined if this process is not importing it. */
  find(uploadId: string): ImportProgress | undefined
  /** Runs an import and logs its progress at regular intervals. */
  follow<T>(load: Load, work: (onProgress: (progress: ImportProgress) => void) => Promise<T>): Promise<T>
}

/** Import of an upload. */
export interface Load {
  readonly uploadId: string
  readonly log: Log
}

/** Interval of progress messages, so that a long import does not look like a hang. */
const logEveryMs = 10_000

/** Creates an empty list of running imports; `logEvery` is in milliseconds. */
export function createLoads(logEvery = logEveryMs): Loads {
  const running = new Map<string, ImportProgress>()
  return {
    find: (uploadId) => running.get(uploadId),
    async follow({ uploadId, log }, work) {
      const timer = setInterval(() => {
        log.info({ upload: uploadId, ...running.get(uploadId) }, 'import in progress')
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
