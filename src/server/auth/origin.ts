import { problem } from '../../contract/problems.ts'
import { refuseSetting } from '../settings/parse_setting.ts'

/** Headers by which a browser reports the origin of a request. */
export interface OriginRequest {
  readonly method: string
  /** Origin header. */
  readonly origin: string | undefined
  /** Sec-Fetch-Site header. */
  readonly fetchSite: string | undefined
  /** Host and port of the request URL. */
  readonly host: string
  /** Other origins whose pages may use the session of a user. */
  readonly allowed: readonly string[]
}

/**
 * Parses the setting of allowed CORS origins.
 *
 * @throws {Problem} usage/bad-argument for invalid origins; also for `*`, since allowed origins may use sessions
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
 * Checks that an unsafe request comes from a page of the server or of an allowed origin, because browsers send the
 * session cookie with requests of any page. Clients other than browsers send neither header and are not at risk.
 *
 * @throws {Problem} auth/cross-site
 * @see https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function checkOrigin(request: OriginRequest): void {
  if (safeMethods.includes(request.method) || isTrusted(request)) return
  const from = request.origin ?? 'another site'
  throw problem('auth/cross-site', `Cross-site request from ${from} rejected.`)
}

function isTrusted({ origin, fetchSite, host, allowed }: OriginRequest): boolean {
  if (origin !== undefined && allowed.includes(origin)) return true
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none'
  return origin === undefined || URL.parse(origin)?.host === host.toLowerCase()
}
