import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Problem } from '../../core/problem.ts'
import { errorPage } from '../pages/error_page.ts'
import { documentHeaders } from '../pages/html_document.ts'
import { errorBody, getStatus } from './error_body.ts'
import type { Answer } from './handler.ts'
import { dialectOf, speakError } from './response_dialect.ts'

/** Media type of every JSON answer; clients compare it as a whole. */
const json = 'application/json'

/** Sends what an operation answers. */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.status(answer.status ?? ('empty' in answer ? 204 : 200))
  // What one may read is not for others: no cache on the way keeps it, unless the operation says so.
  reply.headers({ 'cache-control': 'private, no-cache', ...answer.headers })
  if ('json' in answer) return reply.type(json).send(Buffer.from(JSON.stringify(answer.json)))
  if ('bytes' in answer) return reply.type(answer.mediaType).send(Buffer.from(answer.bytes))
  // A stream that fails after its first byte destroys the socket, so that nobody takes half for whole.
  if ('stream' in answer)
    return reply
      .type(answer.mediaType)
      .send(Readable.from(counted(answer.stream, reply), { objectMode: false }))
  return reply.send()
}

/** Streams have no length beforehand; what went is counted for the log. */
async function* counted(stream: AsyncIterable<Uint8Array>, reply: FastifyReply): AsyncIterable<Uint8Array> {
  const { facts } = reply.request
  facts.sentBytes = 0
  for await (const chunk of stream) {
    facts.sentBytes += chunk.length
    yield chunk
  }
}

/** Sends a failure: as JSON to programs, as a page to people. */
export function sendProblem(reply: FastifyReply, fault: Problem): FastifyReply {
  const { request } = reply
  const status = getStatus(fault)
  const body = errorBody(fault, request.id)
  const { speech } = request.server
  const dialect = dialectOf(request.headers, speech.dialect)
  const wait = fault.data.retry_after
  reply.status(status)
  if (wait !== undefined) reply.header('retry-after', String(wait))
  if (status === 416) reply.header('content-range', `bytes */${fault.data.size}`)
  if (isForPrograms(request.url, request.headers))
    return reply.type(json).send(Buffer.from(JSON.stringify(speakError(body, { ...speech, dialect }))))
  const { title, message } = body
  const path = request.method === 'GET' ? request.url : undefined
  const hasSessionEnded = fault.code === 'auth/session-ended'
  reply.headers(documentHeaders).type('text/html; charset=utf-8')
  return reply.send(errorPage({ status, title, message, path, hasSessionEnded }))
}

function isForPrograms(url: string, headers: Readonly<Record<string, unknown>>): boolean {
  if (/^\/+api(\/|\?|$)/.test(url) || headers['x-requested-with'] === 'XMLHttpRequest') return true
  return !String(headers.accept ?? '').includes('text/html')
}
