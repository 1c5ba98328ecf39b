import { request } from 'node:http'
import { adminPassword, type TestServer } from './server.ts'

/** A request whose body arrives a byte at a time. */
export interface Drip {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** What is sent at once. */
  readonly start?: string
}

/** Sends the start of a body, then a byte now and then until there is an answer. */
export function drip(server: TestServer, { method, path, headers = {}, start = '' }: Drip) {
  const authorization = `Basic ${Buffer.from(`administrator:${adminPassword}`).toString('base64')}`
  return new Promise<{ status: number; body: { code: string; message: string } }>((resolve, reject) => {
    const options = {
      method,
      agent: false,
      headers: { authorization, 'content-length': '60000', ...headers },
    }
    const outgoing = request(server.url + path, options, async (answer) => {
      clearInterval(timer)
      const chunks: Buffer[] = await answer.toArray()
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) })
    })
    outgoing.on('error', (error) => {
      clearInterval(timer)
      reject(error)
    })
    outgoing.write(start)
    const timer = setInterval(() => outgoing.write(' '), 10)
  })
}
