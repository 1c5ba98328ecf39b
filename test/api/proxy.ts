import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { passAnswer } from '../support/pass_answer.ts'

type Fate = 'pass' | 'unknown' | 'cut before' | 'cut after'

/** What stands between a client and a server. */
export interface ProxyOptions {
  /** Address of the server behind it. */
  readonly target: string
  /** Headers added to each request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Tells what happens to a request: passed on, answered as unknown, cut before or after the server saw it. */
  readonly decide?: (method: string, path: string) => Fate | Promise<Fate>
}

/** A running proxy. */
export interface TestProxy {
  readonly url: string
  readonly seen: readonly string[]
  close(): Promise<void>
}

/** Starts a proxy that passes requests on to a real server, and loses some as networks do. */
export async function startProxy(options: ProxyOptions): Promise<TestProxy> {
  const seen: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    const [method = '', path = ''] = [incoming.method, incoming.url]
    seen.push(`${method} ${path}`)
    const fate = (await options.decide?.(method, path)) ?? 'pass'
    if (fate === 'cut before') {
      incoming.socket.destroy()
      return
    }
    if (fate === 'unknown') {
      outgoing.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')
      return
    }
    passOn(incoming, options).then(
      (answer) => {
        if (fate === 'cut after') {
          answer.resume()
          answer.on('end', () => incoming.socket.destroy())
          return
        }
        passAnswer(answer, outgoing)
      },
      () => outgoing.writeHead(502).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () => closeServer(server),
  }
}

function passOn(incoming: IncomingMessage, { target, headers }: ProxyOptions): Promise<IncomingMessage> {
  const { hostname, port } = new URL(target)
  return new Promise((resolve, reject) => {
    const onward = httpRequest(
      {
        hostname,
        port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, ...headers },
      },
      resolve,
    )
    onward.on('error', reject)
    incoming.pipe(onward)
  })
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
