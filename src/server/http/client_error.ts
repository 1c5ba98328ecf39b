import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { errorBody } from './error_body.ts'

/** HTTP status by error code of the HTTP parser; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

/** Sends a JSON error for a request that the HTTP parser rejects, and closes the connection. */
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
  // Usually a name that is not percent-encoded: the HTTP parser accepts ASCII only.
  if (code === 'HPE_INVALID_URL')
    return problem('request/malformed', 'The request URL contains invalid characters.', {
      hint: 'Percent-encode them, for example with curl -G --data-urlencode "fld_name=Łódź".',
    })
  const message = `Cannot parse the HTTP request: ${STATUS_CODES[status]}.`
  return problem('request/malformed', message, { status })
}
