import { type CheckErrorType, type CumulativeStatus, maxStatusText } from '../contract/catalog/catalog.ts'
import { storableStart } from '../core/storable.ts'
import { decodeText } from '../ogc/text_encoding.ts'

/** What a check finds. */
export interface Verdict {
  readonly status: CumulativeStatus
  readonly errorType: CheckErrorType | null
  readonly errorText: string | null
  /** Start of the response, if it is text and the service does not work. */
  readonly response: string | null
}

/** The verdict on a service that works. */
export const works: Verdict = { status: 'works', errorType: null, errorText: null, response: null }

/** Creates the verdict on a service that does not work. */
export function faulty(
  status: Exclude<CumulativeStatus, 'works'>,
  errorType: CheckErrorType | null,
  message: string,
): Verdict {
  return { status, errorType, errorText: storableStart(message, maxStatusText), response: null }
}

/** Enough for the recorded text in any encoding. */
const startBytes = 4 * maxStatusText

/** The body of a response, of which the start is remembered. */
export interface RememberedBody {
  readonly body: AsyncIterable<Uint8Array>
  /** Returns the start of what was read as text, or null if the media type is not that of text. */
  readText(): Promise<string | null>
}

/** Remembers the start of a body while it is read. */
export function rememberStart(chunks: AsyncIterable<Uint8Array>, contentType: string): RememberedBody {
  let start = Buffer.of()
  async function* remember() {
    for await (const chunk of chunks) {
      if (start.length < startBytes)
        start = Buffer.concat([start, chunk.subarray(0, startBytes - start.length)])
      yield chunk
    }
  }
  return {
    body: remember(),
    async readText() {
      if (!isText(contentType)) return null
      const pieces = await Array.fromAsync(decodeText([start], contentType))
      return storableStart(pieces.join(''), maxStatusText)
    },
  }
}

/** Reads the start of a body, and no more. */
export async function readStart({ body }: RememberedBody): Promise<void> {
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.length
    if (sizeBytes >= startBytes) return
  }
}

/** Returns the media type of a Content-Type header, without its parameters. */
export function mediaTypeOf(contentType: string): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function isText(contentType: string): boolean {
  const type = mediaTypeOf(contentType)
  return type === '' || /^text\/|\b(json|xml|html|javascript)\b/.test(type)
}
