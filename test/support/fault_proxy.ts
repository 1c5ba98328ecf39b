import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { passAnswer } from './pass_answer.ts'

/** What happens to a request, and to its client. */
export const faults = [
  /** Answered with status 500, and not forwarded. */
  'error',
  /** Cut before it reaches the server. */
  'cut',
  /** Executed by the server, whose answer is lost. */
  'forget',
  /** Never answered, and not forwarded. */
  'hang',
  /** Executed by the server, and this and all later requests are cut: the client is lost. */
  'die',
] as const

/** Header of a request that its server does not survive: after how many statements it dies. @see `statement_kill.ts` */
export const killHeader = 'x-test-kill'

/** A fault of the network between a client and a server. */
export type Fault = (typeof faults)[number]

/** An HTTP proxy before a real server that makes one request fail. */
export interface FaultProxy {
  readonly url: string
  /** URL of the server. */
  target: string
  /** Methods and paths since the last fault was set, in order. */
  readonly requests: readonly string[]
  /** Sets the fault of a later request, counted from 0; requests are counted anew. Resolves when it happens. */
  strike(at: number, fault: Fault): Promise<void>
  /** Lets the server die during a later request, counted from 0, after a number of statements. */
  killDuring(at: number, statements: number): void
  /** Forwards everything again. */
  rest(): void
  stop(): Promise<void>
}

/** Starts a proxy before a server. */
export async function startFaultProxy(server: string): Promise<FaultProxy> {
  let target = server
  let requests: string[] = []
  let due: { readonly at: number; readonly fault: Fault; readonly hit: () => void } | undefined
  let killing: { readonly at: number; readonly statements: number } | undefined
  let isDead = false
  const proxy = createServer((request, response) => {
    const place = requests.length
    requests.push(`${request.method} ${request.url}`)
    if (isDead) return void request.socket.destroy()
    if (killing?.at === place) request.headers[killHeader] = String(killing.statements)
    if (due?.at !== place) return forward(target, request, response)
    const { fault, hit } = due
    due = undefined
    isDead = fault === 'die'
    apply(fault, target, { request, response })
    hit()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get target() {
      return target
    },
    set target(url) {
      target = url
    },
    get requests() {
      return requests
    },
    strike(at, fault) {
      requests = []
      isDead = false
      return new Promise((hit) => {
        due = { at, fault, hit }
      })
    },
    killDuring(at, statements) {
      requests = []
      killing = { at, statements }
    },
    rest() {
      due = undefined
      killing = undefined
      isDead = false
    },
    async stop() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function apply(fault: Fault, target: string, { request, response }: Exchange): void {
  switch (fault) {
    case 'error':
      request.resume().on('end', () => {
        response.writeHead(500, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ title: 'Fault', status_code: 500, message: 'made by the test' }))
      })
      return
    case 'cut':
      request.resume().on('end', () => request.socket.destroy())
      return
    case 'hang':
      request.resume()
      return
    case 'forget':
    case 'die':
      forward(target, request, response, () => request.socket.destroy())
  }
}

/** Forwards a request. With `lose`, the answer is read to its end, and lost. */
function forward(
  ...[target, request, response, lose]: [
    target: string,
    request: IncomingMessage,
    response: ServerResponse,
    lose?: () => void,
  ]
): void {
  const { method, url = '', headers } = request
  const upstream = send(target + url, { method, headers }, (answer) => {
    if (lose !== undefined)
      return void answer
        .on('error', () => undefined)
        .resume()
        .on('close', lose)
    passAnswer(answer, response)
  })
  upstream.on('error', () => response.destroy())
  // A client that goes away ends the request, as without a proxy.
  response.on('close', () => {
    if (lose === undefined) upstream.destroy()
  })
  request.pipe(upstream)
}
