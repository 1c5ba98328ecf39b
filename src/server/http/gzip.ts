import type { IncomingHttpHeaders } from 'node:http'

/** Tells whether a client accepts gzip. @see RFC 9110 clause 12.5.3 */
export function acceptsGzip(headers: IncomingHttpHeaders): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(String(headers['accept-encoding'] ?? ''))
}
