/** A load that can be repeated. */
export interface Attempt {
  readonly run: () => Promise<void>
  /** Runs if too many others have failed since. */
  readonly onDropped?: (() => void) | undefined
}

/** A load that failed. */
export interface Failure extends Attempt {
  readonly error: unknown
}

/** Maximum number of failed loads of a layer that are retried; a screen has fewer tiles. */
export const maxFailures = 256

/** Records by its key whether a load failed, the latest last, and drops the oldest of too many failures. */
export function recordFailure(failed: Map<string, Failure>, key: string, failure: Failure | undefined): void {
  failed.delete(key)
  if (failure !== undefined) failed.set(key, failure)
  const [oldest] = failed
  if (failed.size <= maxFailures || oldest === undefined) return
  failed.delete(oldest[0])
  oldest[1].onDropped?.()
}
