import { problem } from '../../contract/problems.ts'
import { refuseSetting } from '../settings/parse_setting.ts'

/** What a browser says about where a request comes from. */
export interface OriginRequest {
  readonly method: string
  /** Header Origin. */
  readonly origin: string | undefined
  /** Header Sec-Fetch-Site. */
  readonly fetchSite: string | undefined
  /** Host and port that the request was sent to. */
  readonly host: string
  /** Other origins whose pages may act for those who are logged in. */
  readonly allowed: readonly string[]
}

/**
 * Reads the origins of other sites whose pages may ask.
 *
 * @throws {Problem} usage/bad-argument for what is no origin; `*` is none, as those pages may act for who is logged in
 */
export function readOrigins(texts: readonly string[] = [], name = 'corsOrigins'): string[] {
  return texts.map((text) => {
    const origin = URL.parse(text)?.origin
    if (origin === text.replace(/\/$/, '').toLowerCase() && origin !== 'null') return origin
    throw refuseSetting(name, text, {
      reason: 'it is not an origin',
      hint: 'Write scheme, host and, unless it is the default, port: https://maps.example.org.',
    })
  })
}

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']

/**
 * Checks that what changes something comes from a page of the server itself: a browser sends the cookie along whoever
 * has made it ask. Programs that are no browser say neither header, and nobody can trick them.
 *
 * @throws {Problem} auth/cross-site
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function checkOrigin(request: OriginRequest): void {
  if (safeMethods.includes(request.method) || isTrusted(request)) return
  const from = request.origin ?? 'another site'
  throw problem('auth/cross-site', `A session changes nothing at the wish of ${from}.`)
}

function isTrusted({ origin, fetchSite, host, allowed }: OriginRequest): boolean {
  if (origin !== undefined && allowed.includes(origin)) return true
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none'
  return origin === undefined || URL.parse(origin)?.host === host.toLowerCase()
}
