import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { errorBody } from './error_body.ts'

/** What the HTTP parser found, and the status that says so. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Answers what is no HTTP, or has too long a head, in the form of every other failure, and hangs up. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = statuses[error.code ?? ''] ?? 400
  const reason = STATUS_CODES[status] ?? ''
  const body = JSON.stringify(errorBody(malformed(error, status), requestId))
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function malformed({ code }: NodeJS.ErrnoException, status: number): Problem {
  // People write names as they are; a parser of HTTP takes them in ASCII only.
  if (code === 'HPE_INVALID_URL')
    return problem('request/malformed', 'The address has characters that no address has.', {
      hint: 'Percent-encode them: curl does so with -G --data-urlencode "fld_name=Łódź".',
    })
  const message = `The request is not well-formed HTTP, or its head is too long: ${STATUS_CODES[status]}.`
  return problem('request/malformed', message, { status })
}
