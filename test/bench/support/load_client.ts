import { Agent, get } from 'node:http'
import { benchPassword } from './server.ts'

/** Clients of a server, each with a connection that is kept open. */
export interface LoadClients {
  /** Gets a tile or image as the administrator, and returns its number of bytes; 0 if it is empty. */
  get(url: string): Promise<number>
  /** Gets all URLs once; each client starts the next when its last is complete. */
  replay(urls: readonly string[]): Promise<Replay>
  close(): void
}

/** A way to get a response: returns its number of bytes. */
export type GetBytes = (url: string) => Promise<number>

/** Responses to a list of requests. */
export interface Replay {
  readonly seconds: number
  /** Number of bytes by URL. */
  readonly bytes: ReadonlyMap<string, number>
  /** Milliseconds of each request, sorted. */
  readonly times: readonly number[]
}

/** Value of the header of the administrator. */
export const authorization = `Basic ${Buffer.from(`administrator:${benchPassword}`).toString('base64')}`

/** Creates clients. */
export function createClients(count: number, encoding: 'identity' | 'gzip' = 'identity'): LoadClients {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const getBytes: GetBytes = (url) => readBytes(agent, url, encoding)
  return { get: getBytes, replay: (urls) => replay(urls, count, getBytes), close: () => agent.destroy() }
}

function readBytes(agent: Agent, url: string, encoding: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { authorization, 'accept-encoding': encoding } }, (answer) => {
      let bytes = 0
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      answer.on('error', reject)
      answer.on('end', () =>
        answer.statusCode === 200 || answer.statusCode === 204
          ? resolve(bytes)
          : reject(new Error(`${url}: ${answer.statusCode}`)),
      )
    }).on('error', reject)
  })
}

/** Gets all URLs once, `count` at a time. */
export async function replay(urls: readonly string[], count: number, getBytes: GetBytes): Promise<Replay> {
  const left = [...urls].reverse()
  const bytes = new Map<string, number>()
  const times: number[] = []
  const work = async () => {
    for (let url = left.pop(); url !== undefined; url = left.pop()) {
      const start = performance.now()
      bytes.set(url, await getBytes(url))
      times.push(performance.now() - start)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: count }, work))
  const seconds = (performance.now() - start) / 1000
  return { seconds, bytes, times: times.sort((a, b) => a - b) }
}

/** Returns a percentile of sorted numbers. */
export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
