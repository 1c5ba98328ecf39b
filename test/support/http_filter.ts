import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { passAnswer } from './pass_answer.ts'

/** A response that a filter sends instead of the server. */
export interface FilteredAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** An HTTP proxy that records requests, and answers some of them itself. */
export interface HttpFilter {
  readonly url: string
  /** Methods and paths, in order. */
  readonly requests: string[]
  /** URL of the server. */
  target: string
  /** Runs after the server has answered, and before the client receives it; `cut` closes the connection instead. */
  beforeResponse: (method: string, path: string) => Promise<'cut' | undefined>
  /** Sets what is answered by the filter; undefined forwards to the server. */
  answer: (method: string, path: string) => FilteredAnswer | undefined
}

/** Provides filters in front of a server for a test file, stopped after its last test. */
export function useHttpFilter(): (target: string) => Promise<HttpFilter> {
  const stops: (() => Promise<unknown>)[] = []
  afterAll(() => Promise.all(stops.map((stop) => stop())))
  return async (target) => {
    const requests: string[] = []
    const server = createServer((request, response) => {
      const { method = '', url = '' } = request
      requests.push(`${method} ${url}`)
      const own = filter.answer(method, url)
      if (own === undefined) return forward(filter, request, response)
      request.resume()
      response.writeHead(own.status, { 'content-type': 'application/json', ...own.headers })
      response.end(JSON.stringify(own.body ?? {}))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    const { port } = server.address() as AddressInfo
    const filter: HttpFilter = {
      ...{ url: `http://127.0.0.1:${port}`, target, requests },
      ...{ answer: () => undefined, beforeResponse: async () => undefined },
    }
    return filter
  }
}

function forward(filter: HttpFilter, request: IncomingMessage, response: ServerResponse): void {
  const { method = '', url = '', headers } = request
  const upstream = send(filter.target + url, { method, headers }, async (answer) => {
    if ((await filter.beforeResponse(method, url)) === 'cut') return response.destroy()
    passAnswer(answer, response)
  })
  upstream.on('error', () => response.destroy())
  request.pipe(upstream)
}
