import { problem } from '../../contract/problems.ts'
import { countOf } from '../../core/count.ts'
import { matchesTag, parseRange } from './byte_range.ts'
import type { Answer, ApiRequest } from './handler.ts'

/** Stored content that is sent as a file. */
export interface SentContent {
  readonly digest: string
  readonly sizeBytes: number
  /** Name the client keeps it under. */
  readonly name: string
  readonly mediaType: string
}

type Request = Pick<ApiRequest, 'context' | 'headers' | 'raw'>

/**
 * Answers with stored content as a file to keep: whole or a range of it, or not at all where the client has it already.
 * Never shown as a page: whoever filled the bucket must not be able to run anything in the name of this site.
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
      `The file has ${countOf(sizeBytes, 'byte')}, and none at ${headers.range}.`,
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
    // HEAD wants the length and not the bytes.
    stream: raw.method === 'HEAD' ? nothing() : context.blobs.read(digest, { start, end }),
    mediaType,
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A file name for clients that read RFC 6266, and one in plain letters for others. The path stays behind. */
function disposition(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  const plain = last.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(last).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${plain}"; filename*=utf-8''${encoded}`
}
