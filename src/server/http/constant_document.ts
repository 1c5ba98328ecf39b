import { createHash } from 'node:crypto'
import { matchesTag } from './byte_range.ts'
import type { Answer, ApiRequest } from './handler.ts'

/** A document that does not change while the server runs. */
export interface ConstantDocument {
  readonly bytes: Uint8Array
  readonly etag: string
  readonly mediaType: string
}

/** Returns a function that creates the document of a key on first use. */
export function createDocuments<K>(mediaType: string, write: (key: K) => string) {
  const documents = new Map<K, ConstantDocument>()
  return (key: K): ConstantDocument => {
    const known = documents.get(key)
    if (known !== undefined) return known
    const bytes = Buffer.from(write(key))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
    const document = { bytes, etag, mediaType }
    documents.set(key, document)
    return document
  }
}

/** Sends a document, or 304 if the client has it. */
export function answerDocument(
  { bytes, etag, mediaType }: ConstantDocument,
  requestHeaders: ApiRequest['headers'],
  responseHeaders: Readonly<Record<string, string>> = {},
): Answer<never> {
  const headers = { ...responseHeaders, etag }
  if (matchesTag(requestHeaders['if-none-match'], etag)) return { status: 304, empty: true, headers }
  return { bytes, mediaType, headers }
}
