/**
 * Runs a server in a process of its own, so that its memory can be told from the bench's. Started by `startServer`.
 */
import { createServer } from '../../../src/server/server.ts'

/** What the bench tells the process. */
export interface ServerOrder {
  readonly dataFolder: string
  readonly databaseUrl?: string | undefined
}

/** What the process tells the bench. */
export type ServerWord = { readonly url: string } | { readonly peakBytes: number }

export const benchPassword = 'a bench password'

if (process.send !== undefined) {
  const say = (word: ServerWord) => process.send?.(word)
  let peakBytes = 0
  const look = () => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss())
  }
  setInterval(look, 20).unref()
  // A bench that fails leaves nothing behind that keeps its output open.
  process.on('disconnect', () => process.exit(1))
  process.on('message', (order: ServerOrder | 'memory' | 'stop') => {
    if (order === 'memory') {
      look()
      say({ peakBytes })
      peakBytes = 0
    } else if (order !== 'stop') {
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
