import { problem } from '../../contract/problems.ts'
import { jsonMediaType } from '../http/answer.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { type Parameters, textOf } from './parameter.ts'

/** Answers with JSON that the database, or a writer of pages, has written. */
export function jsonText(text: string | Uint8Array): Answer<never> {
  return { bytes: typeof text === 'string' ? Buffer.from(text) : text, mediaType: jsonMediaType }
}

type Request = Pick<ApiRequest, 'headers'> & { readonly query: Parameters }

/**
 * Checks that the client wants the media type of a response. The parameter `format` wins over the Accept header.
 *
 * @throws {Problem} request/not-found for an unknown format, request/not-acceptable
 */
export function checkFormat({ headers, query }: Request, mediaType: string): void {
  const format = textOf(query, 'format')
  if (format !== undefined && format !== 'json') throw problem('request/not-found', 'Not found.')
  if (format !== undefined || accepts(headers.accept, mediaType)) return
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
