import { problem } from '../../contract/problems.ts'
import { mediaTypes } from '../../ogc/features_api/feature_api.ts'
import type { Answer, ApiRequest } from '../http/handler.ts'
import { documentHeaders } from '../pages/html_document.ts'

/** Formats of documents. */
export type DocumentFormat = 'json' | 'html'

/**
 * Returns the format of a response: by the parameter `f`, else by the header Accept.
 *
 * @throws {Problem} request/invalid
 */
export function readFormat(f: string | undefined, { accept }: ApiRequest['headers']): DocumentFormat {
  if (f === 'json' || f === 'html') return f
  if (f !== undefined)
    throw problem('request/invalid', `f: the format "${f.slice(0, 80)}" is not supported.`, {
      hint: 'Use json or html.',
    })
  const wanted = (accept ?? '').split(',').map((item) => item.replace(/;.*$/s, '').trim().toLowerCase())
  const html = wanted.indexOf(mediaTypes.html)
  const json = wanted.findIndex((type) => /^application\/(?:geo\+)?json$/.test(type))
  return html >= 0 && (json < 0 || html < json) ? 'html' : 'json'
}

/** Answers with a JSON document. */
export function jsonAnswer(document: object, mediaType: string = mediaTypes.json): Answer {
  return { bytes: Buffer.from(JSON.stringify(document)), mediaType, headers: { vary: 'Accept' } }
}

/** Answers with an HTML page. */
export function htmlAnswer(html: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    bytes: Buffer.from(html),
    mediaType: `${mediaTypes.html}; charset=utf-8`,
    headers: { ...documentHeaders, vary: 'Accept', ...headers },
  }
}
