import { AsyncLocalStorage } from 'node:async_hooks'
import { maxServiceDepth } from '../contract/limits.ts'

/** Header of requests to other services: how many services show one another up to this request. */
export const depthHeader = 'landform-depth'

const depths = new AsyncLocalStorage<number>()

/**
 * Runs the work of a request at the depth that its header states. A layer may show a service of this server, whose layers show others:
 * requests of different depths wait in different queues, since each waits for those below it.
 */
export function workAtDepth<T>(header: string | string[] | undefined, work: () => T): T {
  const depth = Number(header ?? 0)
  if (!(depth > 0)) return work()
  return depths.run(Math.min(maxServiceDepth, Math.ceil(depth)), work)
}

/** Returns how many services the request of the running work has passed: 0 for those of users. */
export function currentDepth(): number {
  return depths.getStore() ?? 0
}
