import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestProject } from 'vitest/node'
import { clearCases, readCases, summarizeCases } from './law_cases.ts'
import { startPostgres } from './postgres_service.ts'
import { lazyService, type Service } from './service.ts'

/**
 * Shared services of a run. Each is started by the first test file that requests it and stopped at the end of the run,
 * so a run of a few unit tests starts none.
 */
const services = { postgres: lazyService(startPostgres) } satisfies Record<string, Service<unknown>>

/** Connection data by service name. */
export type Services = {
  [Name in keyof typeof services]: Awaited<ReturnType<(typeof services)[Name]['start']>>
}

declare module 'vitest' {
  interface ProvidedContext {
    /** URL at which test files, which run in separate processes, request the services of the run. */
    servicesUrl: string
  }
}

/** Runs once before all test files; returns the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  clearCases()
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
    // Every project has its teardown.
    const cases = readCases()
    clearCases()
    if (cases.length > 0) process.stdout.write(`${summarizeCases(cases)}\n`)
  }
}
