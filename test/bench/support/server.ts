/**
 * Runs a server in a process of its own, so that its memory can be told from the bench's. Started by `startServer`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareServerMemory } from '../../../src/cli/heap_sizes.ts'

/** What the bench tells the process. */
export interface ServerOrder {
  readonly dataFolder: string
  readonly databaseUrl?: string | undefined
}

/** What the process tells the bench. */
export type ServerWord =
  | { readonly url: string }
  | { readonly bytes: number }
  | { readonly cpuSeconds: number }

/** Milliseconds between two looks at the memory, and those that it has to stay as it is to be called idle. */
const lookMs = 20
const idleMs = 1000

export const benchPassword = 'a bench password'

if (process.send !== undefined) {
  // As in the command `serve`.
  prepareServerMemory()
  const { createServer } = await import('../../../src/server/server.ts')
  const say = (word: ServerWord) => process.send?.(word)
  let peakBytes = 0
  const look = () => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }
  setInterval(look, lookMs).unref()
  /** Memory at rest: what starting took is given back, and nothing moves any more. */
  const restMemory = async () => {
    globalThis.gc?.()
    for (
      let [last, since] = [0, performance.now()];
      performance.now() - since < idleMs;
      await sleep(lookMs)
    ) {
      const now = process.memoryUsage.rss()
      if (Math.abs(now - last) > 0.01 * now) [last, since] = [now, performance.now()]
    }
    peakBytes = 0
    return process.memoryUsage.rss()
  }
  // A bench that fails leaves nothing behind that keeps its output open.
  process.on('disconnect', () => process.exit(1))
  process.on('message', (order: ServerOrder | 'idle' | 'memory' | 'cpu' | 'stop') => {
    if (order === 'cpu') {
      const { user, system } = process.cpuUsage()
      say({ cpuSeconds: (user + system) / 1e6 })
    } else if (order === 'memory') {
      look()
      say({ bytes: peakBytes })
      peakBytes = 0
    } else if (order === 'idle') restMemory().then((bytes) => say({ bytes }))
    else if (order !== 'stop') {
      createServer({ ...order, listen: { host: '127.0.0.1', port: 0 }, adminPassword: benchPassword }).then(
        (server) => {
          process.on('message', (word) => word === 'stop' && server.stop().then(() => process.exit(0)))
          say({ url: server.url })
        },
        (error: unknown) => {
          console.error(error)
          process.exit(1)
        },
      )
    }
  })
}
