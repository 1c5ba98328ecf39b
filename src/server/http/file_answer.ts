import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { matchesTag, parseRange } from './byte_range.ts'
import type { Answer, ApiRequest } from './handler.ts'

/** Stored content to send as a file. */
export interface SentContent {
  readonly digest: string
  readonly sizeBytes: number
  /** File name of the Content-Disposition header. */
  readonly name: string
  readonly mediaType: string
}

type Request = Pick<ApiRequest, 'context' | 'headers' | 'raw'>

/**
 * Sends stored content as an attachment: all of it, a range, or 304 if the client has the current version. Browsers
 * never display it, because scripts in an uploaded file must not run in the origin of the server.
 *
 * @throws {Problem} request/range
 */
export function answerFile({ context, headers, raw }: Request, content: SentContent): Answer {
  const { digest, sizeBytes, name, mediaType } = content
  const etag = `"${digest}"`
  const shared = {
    etag,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': disposition(name),
    'content-security-policy': "default-src 'none'; sandbox",
  }
  if (matchesTag(headers['if-none-match'], etag)) return { status: 304, headers: shared, empty: true }
  const isFresh = headers['if-range'] === undefined || headers['if-range'] === etag
  const range = isFresh ? parseRange(headers.range, sizeBytes) : undefined
  if (range === 'unsatisfiable')
    throw problem(
      'request/range',
      `Range "${headers.range}" is not satisfiable: the file has ${countOf(sizeBytes, 'byte')}.`,
      {
        data: { size: sizeBytes },
      },
    )
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  return {
    status: range === undefined ? 200 : 206,
    headers: {
      ...shared,
      'content-length': String(end - start),
      ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }),
    },
    // HEAD needs the length only.
    stream: raw.method === 'HEAD' ? emptyStream() : context.blobs.read(digest, { start, end }),
    mediaType,
  }
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}

/** Writes a Content-Disposition header with a UTF-8 name and an ASCII fallback, without the path. @see RFC 6266 */
function disposition(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  const plain = last.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(last).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=utf-8''${encoded}`
}
