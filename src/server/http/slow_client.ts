import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import type { ServerContext } from '../context.ts'
import { hasBody } from '../stream/spool.ts'

/** Bytes transferred so far, and whether the server waits for the client. */
export interface ClientProgress {
  readonly receivedBytes: number
  readonly sentBytes: number
  /** Whether the server waits for more of the body. */
  readonly isSending: boolean
  /** Whether the server waits for the client to read more of the response. */
  readonly isReading: boolean
}

/** Finds the direction in which a client was too slow between two samples, if the server waited for it at both. */
export function findSlowness(
  before: ClientProgress,
  now: ClientProgress,
  minBytes: number,
): 'body' | 'answer' | undefined {
  if (before.isSending && now.isSending && now.receivedBytes - before.receivedBytes < minBytes) return 'body'
  if (before.isReading && now.isReading && now.sentBytes - before.sentBytes < minBytes) return 'answer'
  return undefined
}

/** Returns the limits of the clients of a server. */
export function clientLimitsOf({
  minRate,
  clientTimeoutSeconds: seconds,
}: Pick<ServerContext, 'minRate' | 'clientTimeoutSeconds'>): ClientLimits {
  return { minRate, seconds }
}

/** Request with its response. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Sends an error and closes the connection. */
  readonly refuse: (fault: Problem) => void
}

/**
 * Ends a request whose client sends the body or reads the response more slowly than the limits allow. Destroys the
 * connection if a part of the response was sent, so that the client detects the truncation.
 */
export function limitSlowness(
  { request, response, refuse }: Exchange,
  { minRate, seconds }: ClientLimits,
): void {
  let before = readProgress(request, response)
  const check = () => {
    const now = readProgress(request, response)
    const slowness = findSlowness(before, now, minRate * seconds)
    before = now
    if (slowness === undefined) return
    clearInterval(timer)
    if (slowness === 'answer' || response.headersSent) {
      request.socket.destroy()
      return
    }
    // Destroys the request, which aborts the handler, only after the error was sent.
    response.once('close', () => request.destroy())
    refuse(tooSlow(minRate, seconds))
  }
  const timer = setInterval(check, seconds * 1000)
  timer.unref()
  const stop = () => clearInterval(timer)
  response.once('close', () => {
    // The unread rest of the body may still arrive.
    if (request.complete) stop()
    else request.once('end', stop).once('close', stop)
  })
}

function readProgress(request: IncomingMessage, response: ServerResponse): ClientProgress {
  const { socket } = request
  return {
    receivedBytes: socket.bytesRead,
    sentBytes: socket.bytesWritten - socket.writableLength,
    // A full buffer waits for the server.
    isSending:
      hasBody(request) && !request.complete && request.readableLength < request.readableHighWaterMark,
    isReading: response.headersSent && socket.writableLength > 0,
  }
}

const tooSlow = (minRate: number, seconds: number) =>
  problem(
    'request/too-slow',
    `The body was sent at less than ${minRate} bytes per second for ${seconds} s, the limit of the server.`,
  )
