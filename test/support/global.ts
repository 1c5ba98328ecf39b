import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { startPostgres } from './postgres-service.ts'
import { lazyService, type Service } from './service.ts'

/**
 * What a run shares. Each is started by the first test file that asks for it and stopped with the run, so that a
 * run of a few unit tests costs nothing.
 */
const services = { postgres: lazyService(startPostgres) } satisfies Record<string, Service<unknown>>

/** The names a test file can ask for, with what it is told. */
export type Services = {
  [Name in keyof typeof services]: Awaited<ReturnType<(typeof services)[Name]['start']>>
}

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files, which run in processes of their own, ask for the services of the run. */
    servicesUrl: string
  }
}

/** Runs once before all test files; gives what stops everything after them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1)
    const service = Object.hasOwn(services, name) ? services[name as keyof typeof services] : undefined
    if (service === undefined) return void response.writeHead(404).end(`no service ${name}`)
    service.start().then(
      (value) => response.end(JSON.stringify(value)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  project.provide('servicesUrl', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return async () => {
    server.close()
    server.closeAllConnections()
    await Promise.all(Object.values(services).map((service) => service.stop()))
  }
}
