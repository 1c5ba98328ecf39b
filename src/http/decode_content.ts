import { pipeline, type Readable, type Transform } from 'node:stream'
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'
import { TooLargeError } from './limit_size.ts'

/** The body of a response does not have the encoding that its Content-Encoding header names. */
export class ContentFault extends Error {
  readonly code = 'LANDFORM_CONTENT_ENCODING'
}

/** Window of Zstandard in bytes, as an exponent of 2: larger ones need not be supported. @see RFC 9659 */
const zstdWindowLog = 23

const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } })],
])

/** Every further encoding multiplies what a small response can decode to. */
const maxEncodings = 3

/**
 * Decodes the body of a response, piece by piece. Unknown encodings are ignored, like in browsers: some servers send a
 * charset as Content-Encoding.
 *
 * @throws {ContentFault}
 * @throws {TooLargeError} if the decoded body exceeds the limit
 * @see RFC 9110 clause 8.4
 */
export async function* decodeContent(
  body: Readable,
  contentEncoding: string,
  limitBytes: number,
): AsyncGenerator<Uint8Array> {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => decoders.has(name))
  if (names.length > maxEncodings) throw new ContentFault(`it has ${names.length} encodings`)
  const steps = names.toReversed().flatMap((name) => decoders.get(name)?.() ?? [])
  let sizeBytes = 0
  try {
    for await (const chunk of connect(body, steps)) {
      sizeBytes += chunk.length
      if (sizeBytes > limitBytes) throw new TooLargeError(limitBytes)
      yield chunk
    }
  } catch (error) {
    throw isDecodingError(error) ? new ContentFault(`it is not valid ${names.join(', ')}`) : error
  }
}

/** Connects streams: when one fails or is closed, all are. */
function connect(body: Readable, steps: readonly Transform[]): AsyncIterable<Uint8Array> {
  const last = steps.at(-1)
  if (last === undefined) return body
  // The iterator of the last stream reports errors.
  pipeline([body, ...steps], () => undefined)
  return last
}

function isDecodingError(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' && /^(Z_|ERR_BROTLI|ERR__ERROR|ZSTD_)/.test(code)
}
