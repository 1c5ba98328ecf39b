import { request } from 'node:http'

/** What was sent over the wire, without what an HTTP library would add to it. */
export interface Wire {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** An answer, read to its end; `json` where it says that it is exactly that. */
export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  readonly json: unknown
}

/** Sends a request just as it is written, with the length of its body. */
export function sendWire(url: string, { method, path, headers = {}, body = '' }: Wire): Promise<WireAnswer> {
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const asked = request(url + path, { method, headers: { ...length, ...headers } }, async (answer) => {
      const pieces: Buffer[] = await answer.toArray()
      const text = Buffer.concat(pieces).toString()
      const isJson = answer.headers['content-type'] === 'application/json'
      resolve({
        status: answer.statusCode ?? 0,
        headers: answer.headers,
        text,
        json: isJson ? JSON.parse(text) : undefined,
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}
