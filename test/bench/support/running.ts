import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { basename } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { benchPassword, type ServerOrder } from './server.ts'

/** A server in a process of its own. */
export interface BenchServer {
  readonly url: string
  /** The memory it has at rest, in bytes; waits until it is. */
  idleMemory(): Promise<number>
  /** The most memory it had since this or `idleMemory` was last asked, in bytes. */
  peakMemory(): Promise<number>
  /** The processor time of all its threads since it was started, in seconds. */
  cpuSeconds(): Promise<number>
  /** Asks as the administrator. */
  ask<T>(method: string, path: string, body?: object): Promise<T>
  /** Sends a file; gives what refers to it. */
  upload(path: string): Promise<unknown>
  stop(): Promise<void>
}

/** Starts a server on the embedded database, or on PostgreSQL where there is an address. */
export async function startServer(order: ServerOrder): Promise<BenchServer> {
  const program = fileURLToPath(new URL('./server.ts', import.meta.url))
  const child = fork(program, [], { execArgv: ['--expose-gc'] })
  child.send(order)
  const { url } = await nextWord<{ url: string }>(child)
  const authorization = `Basic ${Buffer.from(`administrator:${benchPassword}`).toString('base64')}`
  return {
    url,
    idleMemory: () => askMemory(child, 'idle'),
    peakMemory: () => askMemory(child, 'memory'),
    async cpuSeconds() {
      child.send('cpu')
      return (await nextWord<{ cpuSeconds: number }>(child)).cpuSeconds
    },
    ask: async (method, path, body) =>
      read(
        await fetch(url + path, {
          method,
          headers: { authorization },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
    async upload(path) {
      const headers = { authorization, 'content-disposition': `attachment; filename=${basename(path)}` }
      const asking = request(`${url}/api/component/file_upload/`, { method: 'PUT', headers })
      const answer = once(asking, 'response')
      await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), asking)
      const [response] = (await answer) as [IncomingMessage]
      return JSON.parse(Buffer.concat(await Array.fromAsync(response)).toString())
    },
    async stop() {
      child.send('stop')
      await once(child, 'exit')
    },
  }
}

async function read<T>(answer: Response): Promise<T> {
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

async function askMemory(child: ChildProcess, word: 'idle' | 'memory'): Promise<number> {
  child.send(word)
  return (await nextWord<{ bytes: number }>(child)).bytes
}

async function nextWord<T>(child: ChildProcess): Promise<T> {
  const stopper = new AbortController()
  const { signal } = stopper
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('the server ended')
  })
  try {
    const [word] = await Promise.race([once(child, 'message', { signal }), ended])
    return word as T
  } finally {
    // The listeners of a server that answers many times would add up.
    stopper.abort()
  }
}
