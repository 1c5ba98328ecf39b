import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CatalogErrorBody } from '../../contract/bodies/error.ts'
import { problem } from '../../contract/problems.ts'
import type { RouteDescriptor } from '../../contract/route.ts'
import type { Problem } from '../../core/problem.ts'
import { errorBody, getStatus } from './error_body.ts'

/** Path of the catalog below its base path. */
export const catalogRoot = '/api/v1'

/** Headers of every response of the catalog: scripts of any site may read it. */
export const serviceHeaders = { 'access-control-allow-origin': '*', vary: 'Accept' } as const

/** Tells whether a URL belongs to the catalog, whose root has the given path. */
export function isCatalogUrl(url: string, path: string | undefined): boolean {
  if (path === undefined || !url.startsWith(path)) return false
  return ['', '/', '?'].includes(url.charAt(path.length))
}

/** Returns the status of an error of the catalog: 400 for an invalid parameter, as its clients expect. */
export function catalogStatus(fault: Problem): number {
  const status = getStatus(fault)
  return status === 422 ? 400 : status
}

/** Creates the body of an error of the catalog. */
export function catalogError(fault: Problem, method: string): CatalogErrorBody {
  const { location } = fault.data as { readonly location?: readonly unknown[] }
  const [part, name] = location ?? []
  if (part === 'query' && typeof name === 'string') return { [name]: [fault.message] }
  if (fault.code === 'request/not-found') return { detail: 'Not found.' }
  if (fault.code === 'request/method') return { detail: `Method "${method}" not allowed.` }
  return { detail: errorBody(fault, '').message }
}

/** Allows requests of scripts of any site. */
export async function addCatalogHeaders(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.headers(serviceHeaders)
}

const preflightSeconds = 3600

/** Answers OPTIONS: to browsers before a request, else with a description of the path. */
export function answerOptions(
  reply: FastifyReply,
  { allow, summary }: { readonly allow: string; readonly summary: string },
): FastifyReply {
  reply.headers({
    allow,
    'access-control-allow-methods': allow,
    'access-control-allow-headers': reply.request.headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': String(preflightSeconds),
  })
  return reply
    .status(200)
    .type('application/json')
    .send(Buffer.from(JSON.stringify({ description: summary })))
}

/**
 * Checks that a client of the catalog wants the media type of the response. The parameter `format` wins over the Accept
 * header.
 *
 * @throws {Problem} request/not-found for an unknown format, request/not-acceptable
 */
export function checkFormat(
  { responseKind = 'json' }: RouteDescriptor,
  accept: string | undefined,
  { format }: { readonly format?: unknown },
): void {
  if (format === 'json') return
  if (format !== undefined && format !== '') throw problem('request/not-found', 'Not found.')
  if (accepts(accept, responseKind === 'image' ? 'image/png' : 'application/json')) return
  throw problem('request/not-acceptable', 'Could not satisfy the request Accept header.')
}

/** Tells whether an Accept header allows a media type. @see RFC 9110 clause 12.5.1 */
function accepts(header = '*/*', mediaType: string): boolean {
  const wanted = ['*/*', `${mediaType.split('/')[0]}/*`, mediaType]
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return (wanted.includes(type) || type === '') && !isRefused
  })
}
