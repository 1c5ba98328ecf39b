import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { ServiceProtocol } from '../../contract/route.ts'
import type { Problem } from '../../core/problem.ts'
import { errorPage } from '../pages/error_page.ts'
import { documentHeaders } from '../pages/html_document.ts'
import { problemReport, versionOf } from '../wfs/wfs_error.ts'
import { wmsProblemReport } from '../wms/wms_error.ts'
import { wmtsProblemReport } from '../wmts/wmts_error.ts'
import { catalogError, catalogStatus, isCatalogUrl, serviceHeaders } from './catalog_service.ts'
import { errorBody, getStatus } from './error_body.ts'
import type { Answer } from './handler.ts'
import { dialectOf, encodeError } from './response_dialect.ts'
import { failureHead, type ReportOptions, type ServiceReport } from './service_report.ts'

/** Media type of JSON responses, without parameters because clients compare it as a string. */
export const jsonMediaType = 'application/json'

/** Headers of answers that do not set them: responses depend on the caller's permissions, so shared caches must not store them. */
export const defaultHeaders = { 'cache-control': 'private, no-cache' }

/** Returns the status of an answer. */
export function statusOf(answer: Answer): number {
  return answer.status ?? ('empty' in answer ? 204 : 200)
}

/** Sends the result of an operation. */
export function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.status(statusOf(answer))
  reply.headers({ ...defaultHeaders, ...answer.headers })
  if ('json' in answer) return reply.type(jsonMediaType).send(Buffer.from(JSON.stringify(answer.json)))
  if ('bytes' in answer) return reply.type(answer.mediaType).send(viewBytes(answer.bytes))
  // A stream that fails after its first byte destroys the socket, so that clients detect the truncation.
  if ('stream' in answer)
    return reply
      .type(answer.mediaType)
      .send(Readable.from(counted(answer.stream, reply), { objectMode: false }))
  return reply.send()
}

/** Returns a buffer of the same memory: many responses share the bytes of a cached document. */
function viewBytes({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Content codings of responses; the first one that a client accepts is the best. */
export const contentCodings = ['br', 'gzip'] as const

/** A content coding. */
export type ContentCoding = (typeof contentCodings)[number]

/** Patterns of the header of clients that accept a coding, whatever its weight. */
const acceptedCodings: Readonly<Record<ContentCoding, RegExp>> = {
  br: /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
}

/** Tells whether a client accepts a content coding. @see RFC 9110 clause 12.5.3 */
export function acceptsCoding(headers: IncomingHttpHeaders, coding: ContentCoding): boolean {
  return acceptedCodings[coding].test(String(headers['accept-encoding'] ?? ''))
}

/** Counts the bytes of a stream for the log, as its length is not known in advance. */
async function* counted(stream: AsyncIterable<Uint8Array>, reply: FastifyReply): AsyncIterable<Uint8Array> {
  const { facts } = reply.request
  facts.sentBytes = 0
  for await (const chunk of stream) {
    facts.sentBytes += chunk.length
    yield chunk
  }
}

/** Writers of exception reports of each service. */
const serviceReports: Readonly<
  Record<ServiceProtocol, (fault: Problem, options: ReportOptions) => ServiceReport>
> = {
  wfs: (fault, options) => problemReport(fault, { ...options, protocol: versionOf(options.url) }),
  wms: wmsProblemReport,
  wmts: wmtsProblemReport,
}

/** Sends an error: as JSON to programs, as an HTML page to browsers. */
export function sendProblem(reply: FastifyReply, fault: Problem): FastifyReply {
  const { request } = reply
  const status = getStatus(fault)
  if (isCatalogUrl(request.url, request.server.catalogPath))
    return reply
      .status(catalogStatus(fault))
      .headers(serviceHeaders)
      .type(jsonMediaType)
      .send(Buffer.from(JSON.stringify(catalogError(fault, request.method))))
  const protocol = request.routeOptions?.config?.errors
  if (protocol === 'ogcapi') return sendOgcApiProblem(reply, fault)
  if (protocol !== undefined) {
    const isGuest = request.headers.authorization === undefined
    const options = { url: request.url, requestId: request.id, isGuest }
    const { headers, mediaType, bytes, status: own } = serviceReports[protocol](fault, options)
    return reply.status(own).headers(headers).type(mediaType).send(viewBytes(bytes))
  }
  const body = errorBody(fault, request.id)
  const { responseStyle } = request.server
  const dialect = dialectOf(request.headers, responseStyle.dialect)
  const wait = fault.data.retry_after
  reply.status(status)
  if (wait !== undefined) reply.header('retry-after', String(wait))
  if (status === 416) reply.header('content-range', `bytes */${fault.data.size}`)
  if (wantsJson(request.url, request.headers))
    return reply
      .type(jsonMediaType)
      .send(Buffer.from(JSON.stringify(encodeError(body, { ...responseStyle, dialect }))))
  const { title, message } = body
  const path = request.method === 'GET' ? request.url : undefined
  const hasSessionEnded = fault.code === 'auth/session-ended'
  reply.headers(documentHeaders).type('text/html; charset=utf-8')
  const hasCatalog = request.server.catalogPath !== undefined
  const caller = request.facts?.caller
  return reply.send(errorPage({ status, title, message, path, hasCatalog, hasSessionEnded, caller }))
}

/** Sends an error of OGC API. */
function sendOgcApiProblem(reply: FastifyReply, fault: Problem): FastifyReply {
  const { id, headers } = reply.request
  const { status, headers: own } = failureHead(fault, { isGuest: headers.authorization === undefined })
  return reply
    .status(status)
    .headers(own)
    .type(jsonMediaType)
    .send(Buffer.from(JSON.stringify({ ...errorBody(fault, id), status_code: status })))
}

/** Tells whether an error is sent as JSON: to programs, and below `/api`. */
export function wantsJson(url: string, headers: Readonly<Record<string, unknown>>): boolean {
  if (/^\/+api(\/|\?|$)/.test(url) || headers['x-requested-with'] === 'XMLHttpRequest') return true
  return !String(headers.accept ?? '').includes('text/html')
}
