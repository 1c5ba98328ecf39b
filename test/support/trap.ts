import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that nobody is to ask. */
export interface Trap {
  /** Scheme, host and port. */
  readonly address: string
  /** Paths that were asked for all the same. */
  readonly asked: readonly string[]
  close(): void
}

/** Starts a server that answers whoever asks, and remembers it. */
export async function openTrap(): Promise<Trap> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, asked, close: () => void server.close() }
}
