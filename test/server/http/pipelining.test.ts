import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { limitPipelining, maxPipelined } from '../../../src/server/http/pipelining.ts'

const closings: (() => void)[] = []
afterEach(() => {
  for (const close of closings.splice(0)) close()
})

/** Starts a server with limited pipelines, and connects to it. */
async function open(handle: RequestListener): Promise<Socket> {
  const server = createServer(limitPipelining(handle))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  closings.push(() => {
    socket.destroy()
    server.close()
    server.closeAllConnections()
  })
  await once(socket, 'connect')
  return socket
}

const requests = (count: number, body = '') =>
  Array.from({ length: count }, (_, at) => {
    const head = body === '' ? 'GET' : 'POST'
    const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
    return `${head} /${at} HTTP/1.1\r\nHost: test\r\n${length}\r\n${body}`
  }).join('')

/** Reads until as many bodies as expected have arrived; returns them in order. */
async function readBodies(socket: Socket, count: number): Promise<string[]> {
  let text = ''
  for await (const chunk of socket) {
    text += chunk
    const bodies = [...text.matchAll(/<([^>]*)>/g)].map(([, body]) => body ?? '')
    if (bodies.length >= count) return bodies
  }
  throw new Error('the connection ended')
}

const paths = (count: number) => Array.from({ length: count }, (_, at) => `/${at}`)

/** Counts requests in work: those that were started and whose response is not finished. */
function countWork() {
  const work = { now: 0, most: 0, started: 0 }
  const count = (response: Parameters<RequestListener>[1]) => {
    work.started += 1
    work.now += 1
    work.most = Math.max(work.most, work.now)
    // Before the next request starts.
    response.prependOnceListener('close', () => {
      work.now -= 1
    })
  }
  return { work, count }
}

describe('limitPipelining', () => {
  test('answers 500 pipelined requests in order, with few of them in work at a time', async () => {
    const { work, count } = countWork()
    const socket = await open((request, response) => {
      count(response)
      // Later responses are ready before earlier ones.
      if (work.started % 2 === 0) response.end(`<${request.url}>`)
      else setImmediate(() => response.end(`<${request.url}>`))
    })
    socket.write(requests(500))
    expect(await readBodies(socket, 500)).toEqual(paths(500))
    expect(work).toEqual({ now: expect.any(Number), most: maxPipelined, started: 500 })
  })

  test('starts no more requests while the client does not read', async () => {
    const { work, count } = countWork()
    const isFull = Promise.withResolvers<void>()
    const first = Promise.withResolvers<void>()
    const socket = await open(async (request, response) => {
      count(response)
      if (work.now === maxPipelined) isFull.resolve()
      if (request.url === '/0') await first.promise
      response.end(`<${request.url}>`)
    })
    // More than one chunk that the server reads at once.
    socket.write(requests(5000))
    await isFull.promise
    expect(work.started).toBe(maxPipelined)
    first.resolve()
    expect(await readBodies(socket, 5000)).toEqual(paths(5000))
    expect(work.most).toBe(maxPipelined)
  })

  test('reads the bodies of pipelined requests', async () => {
    const { work, count } = countWork()
    const socket = await open(async (request, response) => {
      count(response)
      const chunks: Buffer[] = await request.toArray()
      response.end(`<${request.url} ${Buffer.concat(chunks).length}>`)
    })
    socket.write(requests(50, 'x'.repeat(100_000)))
    expect(await readBodies(socket, 50)).toEqual(paths(50).map((path) => `${path} 100000`))
    expect(work.most).toBeLessThanOrEqual(maxPipelined)
  })
})
