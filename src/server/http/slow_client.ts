import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientLimits } from '../../contract/limits.ts'
import { problem } from '../../contract/problems.ts'
import type { Problem } from '../../core/problem.ts'
import { hasBody } from './json_body.ts'

/** What has come from a client and gone to it at some time, and whether the server waits for the client. */
export interface ClientProgress {
  readonly receivedBytes: number
  readonly sentBytes: number
  /** Whether the server waits for more of the body. */
  readonly isSending: boolean
  /** Whether the server waits for the client to take more of the answer. */
  readonly isTaking: boolean
}

/** Tells in which direction a client was too slow between two times, if the server waited for it at both. */
export function findSlowness(
  before: ClientProgress,
  now: ClientProgress,
  leastBytes: number,
): 'body' | 'answer' | undefined {
  if (before.isSending && now.isSending && now.receivedBytes - before.receivedBytes < leastBytes)
    return 'body'
  if (before.isTaking && now.isTaking && now.sentBytes - before.sentBytes < leastBytes) return 'answer'
  return undefined
}

/** One request and its answer. */
interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Answers the request with a failure, and closes the connection then. */
  readonly refuse: (fault: Problem) => void
}

/**
 * Ends a request whose client sends its body, or takes its answer, more slowly than the limits say. What was answered in
 * part is broken off: nobody takes half for whole.
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
    // The handler learns that the body has ended too early once the client has been told.
    response.once('close', () => request.destroy())
    refuse(tooSlow(minRate, seconds))
  }
  const timer = setInterval(check, seconds * 1000)
  timer.unref()
  const stop = () => clearInterval(timer)
  response.once('close', () => {
    // What is left of the body comes still, where nobody has read it.
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
    isTaking: response.headersSent && socket.writableLength > 0,
  }
}

const tooSlow = (minRate: number, seconds: number) =>
  problem(
    'request/too-slow',
    `The body came more slowly than ${minRate} bytes per second for ${seconds} s, the limit of the server.`,
  )
