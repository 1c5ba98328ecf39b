import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe } from 'vitest'
import type { Database } from '../../src/database/database.ts'
import type { ServerConfig } from '../../src/server/config.ts'
import { createServer, type RunningServer } from '../../src/server/server.ts'
import { drivers, oneDriver, openTestDatabase } from './drivers.ts'

/** Password of the administrator of every test server. */
export const adminPassword = 'a test password'

/** Returns the environment of a program that signs in to a server as the administrator. */
export const administratorEnv = (url: string) => ({
  LANDFORM_SERVER: url,
  LANDFORM_USER: 'administrator',
  LANDFORM_PASSWORD: adminPassword,
})

/** Cost of the hashes of test servers: they create users by the hundred. */
export const testPasswordCost = 8

/** A response whose `json` returns the body as the expected type. */
export interface TestResponse extends Omit<Response, 'json'> {
  json<T>(): Promise<T>
}

/**
 * Sends a request to a path of the server with credentials. A body other than a string, bytes or a form is sent as
 * JSON.
 */
export type Ask = (
  ...[method, path, body, headers]: [
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ]
) => Promise<TestResponse>

/** A server on a socket, with its own database and data folder. */
export interface TestServer {
  readonly url: string
  readonly dataFolder: string
  readonly running: RunningServer
  /** The database of the server, to set up what requests cannot. */
  readonly database: Database
  /** Returns a client with credentials. */
  as(login: string, password: string): Ask
  readonly admin: Ask
  readonly guest: Ask
  /** Stops the server and deletes its data. */
  stop(): Promise<void>
}

/** Starts a server on a driver. Prefer `describeServers`, which also stops it. */
export async function startTestServer(
  driver: Database['driver'],
  config: Partial<ServerConfig> = {},
): Promise<TestServer> {
  const dataFolder = config.dataFolder ?? (await mkdtemp(join(tmpdir(), 'landform-server-')))
  const database = config.database ?? (await openTestDatabase(driver, { isMigrated: true }))
  const listen = { host: '127.0.0.1', port: 0 }
  const running = await createServer({
    listen,
    dataFolder,
    database,
    adminPassword,
    version: '0.0.0',
    passwordCost: testPasswordCost,
    // What is drawn or refused must not depend on how busy the machine is.
    renderTimeoutSeconds: 240,
    // Requests nothing unless a test is about it.
    catalogCheckHours: 'off',
    ...config,
  })
  const { url } = running
  const as = (login: string, password: string) => {
    const token = Buffer.from(`${login}:${password}`).toString('base64')
    return createAsk(url, { authorization: `Basic ${token}` })
  }
  const stop = async () => {
    await running.stop()
    await rm(dataFolder, { recursive: true, force: true })
  }
  return {
    url,
    dataFolder,
    running,
    database,
    as,
    admin: as('administrator', adminPassword),
    guest: createAsk(url, {}),
    stop,
  }
}

type ServerTests = [
  title: string,
  block: (start: () => Promise<TestServer>, driver: Database['driver']) => void,
  config?: Partial<ServerConfig>,
]

/** Runs a block of tests on a server of each driver; `start` returns the server of the block, stopped after it. */
export function describeServers(...tests: ServerTests): void {
  describeOn(drivers, tests)
}

/**
 * As `describeServers`, on one driver: for tests whose subject sends no SQL of its own, such as clients and the toolkit,
 * drawing, GDAL, foreign databases and protocols over features. Arbitrary requests are sent to every route on each driver.
 */
export function describeServer(...tests: ServerTests): void {
  describeOn(oneDriver, tests)
}

function describeOn(on: readonly Database['driver'][], [title, block, config = {}]: ServerTests): void {
  describe.each(on)(`${title} on %s`, (driver) => {
    let starting: Promise<TestServer> | undefined
    block(() => {
      starting ??= startTestServer(driver, config)
      return starting
    }, driver)
    afterAll(async () => {
      await (await starting?.catch(() => undefined))?.stop()
    })
  })
}

/** Creates a client for any server that sends headers with each request. */
export function createAsk(url: string, credentials: Record<string, string>): Ask {
  return async (...[method, path, body, headers = {}]) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
    const payload = isRaw || body === undefined ? body : JSON.stringify(body)
    const response = await fetch(url + path, {
      method,
      headers: { ...credentials, ...headers },
      ...(payload === undefined ? {} : { body: payload as string }),
    })
    return response as TestResponse
  }
}
