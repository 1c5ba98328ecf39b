import { request } from 'node:http'

/** A request without the defaults of an HTTP library. */
export interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body?: string | Buffer
}

/** A complete response; `json` if its content type is exactly JSON. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  readonly json: unknown
}

/** Sends a request unchanged, except for the length of its body. */
export function sendRawRequest(
  url: string,
  { method, path, headers = {}, body = '' }: RawRequest,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const length = body.length > 0 ? { 'content-length': String(Buffer.byteLength(body)) } : {}
    const outgoing = request(url + path, { method, headers: { ...length, ...headers } }, async (answer) => {
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
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
