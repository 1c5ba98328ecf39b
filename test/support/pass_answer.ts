import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Passes the answer of a server on to a client. If the server dies in the middle of it, the connection is cut: the client would
 * wait for the rest for ever.
 */
export function passAnswer(answer: IncomingMessage, response: ServerResponse): void {
  answer.on('error', () => response.destroy())
  response.writeHead(answer.statusCode ?? 502, answer.headers)
  answer.pipe(response)
}
