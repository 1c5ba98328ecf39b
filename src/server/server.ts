import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { problem } from '../contract/problems.ts'
import type { ServerConfig } from './config.ts'
import type { ServerContext } from './context.ts'
import { startGarbageCollection } from './garbage_collection.ts'
import { createApp } from './http/app.ts'
import { handlerOf } from './routes/handlers.ts'
import { openContext } from './start.ts'

/** Running server. */
export interface RunningServer {
  /** Base URL: `http://127.0.0.1:8080`. */
  readonly url: string
  readonly context: ServerContext
  /** Password of the administrator, only on the start that generated it. */
  readonly adminPassword?: string
  /** Stops accepting requests, finishes running ones, and closes the database. Idempotent. */
  stop(): Promise<void>
}

/** Time for running requests to finish when the server stops. */
const stopTimeoutMs = 30_000

/**
 * Starts a server.
 *
 * @throws {Problem} server/listen, database/*
 */
export async function createServer(config: ServerConfig): Promise<RunningServer> {
  const { context, adminPassword } = await openContext(config)
  const app = createApp(context, handlerOf)
  const stopGarbageCollection = startGarbageCollection(context)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= shutDown(app, [
      stopGarbageCollection,
      context.authenticator.close,
      context.geodb.close,
      () => context.database.close(),
    ])
    return stopped
  }
  try {
    const url = await listen(app, config.listen)
    return { url, context, ...(adminPassword === undefined ? {} : { adminPassword }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function shutDown(app: FastifyInstance, steps: readonly (() => Promise<void>)[]): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), stopTimeoutMs)
  timer.unref()
  await app.close()
  clearTimeout(timer)
  for (const step of steps) await step()
}

async function listen(app: FastifyInstance, { host, port }: ServerConfig['listen']): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException
    const why = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
    throw problem('server/listen', `Cannot listen on ${host}:${port}: ${why}.`, { cause })
  }
  const address = app.server.address() as AddressInfo
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${name}:${address.port}`
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the address is in use',
  EACCES: 'this user is not allowed to use the port',
  EADDRNOTAVAIL: 'the address is not available on this machine',
  ENOTFOUND: 'the host does not exist',
}
