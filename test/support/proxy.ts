import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll } from 'vitest'

/** A TCP proxy that a test can interrupt. */
export interface TestProxy {
  readonly port: number
  /** `open` forwards, `refused` does not listen, `cut` closes connections at once, `silent` drops all data. */
  set(state: 'open' | 'refused' | 'cut' | 'silent'): Promise<void>
  /** Forwards new connections to another local port. */
  redirect(port: number): void
}

/** Provides a proxy to a local service for a test file, stopped after its last test. */
export function useProxy(): (port: number) => Promise<TestProxy> {
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'silent' = 'open'
  let target = 0
  const server = createServer((client) => {
    track(client)
    if (state === 'cut') return client.destroy()
    if (state === 'silent') return
    const upstream = track(connect(target, '127.0.0.1'))
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (chunk) => state === 'open' && to.write(chunk))
      from.on('close', () => to.destroy())
    }
    pass(client, upstream)
    pass(upstream, client)
  })
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const listen = (port: number) =>
    new Promise<number>((resolve) =>
      server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  const stop = () =>
    new Promise<void>((resolve) => {
      if (server.listening) server.close(() => resolve())
      else resolve()
      drop()
    })
  afterAll(stop)
  return async (port) => {
    target = port
    const ownPort = await listen(0)
    return {
      port: ownPort,
      redirect(next) {
        target = next
      },
      async set(next) {
        if (next === 'refused') return stop()
        state = next
        if (next === 'cut') drop()
        if (!server.listening) await listen(ownPort)
      },
    }
  }
}
