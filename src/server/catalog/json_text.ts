import { jsonMediaType } from '../http/answer.ts'
import type { Answer } from '../http/handler.ts'

/** Answers with JSON that the database, or a writer of pages, has written. */
export function jsonText(text: string | Uint8Array): Answer<never> {
  return { bytes: typeof text === 'string' ? Buffer.from(text) : text, mediaType: jsonMediaType }
}
