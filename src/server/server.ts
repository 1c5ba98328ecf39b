import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { problem } from '../contract/problems.ts'
import { startCheckSchedule } from './catalog/check_schedule.ts'
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
  /** Base URL of the catalog, if it has an address of its own. */
  readonly catalogUrl?: string
  readonly context: ServerContext
  /** Password of the administrator, only on the start that generated it. */
  readonly adminPassword?: string
  /** Resolves when what earlier runs left has been deleted. */
  readonly cleaned: Promise<void>
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
  const { path, address } = catalogPlaceOf(context)
  const app = createApp(context, handlerOf, { resources: true, catalog: path })
  const catalogApp = address && {
    app: createApp(context, handlerOf, { resources: false, catalog: '' }),
    address,
  }
  const garbage = startGarbageCollection(context)
  let stopChecks = async (): Promise<void> => undefined
  let stopped: Promise<void> | undefined
  const stop = () => {
    // Checks of this server itself end first.
    const ended = stopChecks()
    stopped ??= shutDown(
      [app, ...(catalogApp === undefined ? [] : [catalogApp.app])],
      [
        () => ended,
        garbage.stop,
        context.authenticator.close,
        context.hot.close,
        context.geodb.close,
        () => context.draws.close(),
        () => context.tileStore.close(),
        () => context.externalImages.close(),
        () => context.database.close(),
      ],
    )
    return stopped
  }
  try {
    const url = await listen(app, config.listen)
    const catalogUrl = catalogApp === undefined ? undefined : await listen(catalogApp.app, catalogApp.address)
    context.ownUrls.push(url, ...(catalogUrl === undefined ? [] : [catalogUrl]))
    stopChecks = startCheckSchedule(context)
    return {
      url,
      context,
      cleaned: garbage.first,
      ...(catalogUrl === undefined ? {} : { catalogUrl }),
      ...(adminPassword === undefined ? {} : { adminPassword }),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Returns the base path of the catalog in the application, or the address of its own, or neither if it is off. */
function catalogPlaceOf({ catalog }: ServerContext) {
  if (catalog === 'off') return { path: undefined, address: undefined }
  return 'path' in catalog
    ? { path: catalog.path, address: undefined }
    : { path: undefined, address: catalog.listen }
}

async function shutDown(
  apps: readonly FastifyInstance[],
  steps: readonly (() => Promise<void>)[],
): Promise<void> {
  const timer = setTimeout(() => {
    for (const app of apps) app.server.closeAllConnections()
  }, stopTimeoutMs)
  timer.unref()
  await Promise.all(apps.map((app) => app.close()))
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
