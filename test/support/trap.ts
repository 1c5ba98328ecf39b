import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that must not receive requests. */
export interface Trap {
  /** Scheme, host and port. */
  readonly address: string
  /** Paths of the requests received. */
  readonly requests: readonly string[]
  close(): void
}

/** Starts a server that records all requests. */
export async function openTrap(): Promise<Trap> {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { address, requests, close: () => void server.close() }
}
