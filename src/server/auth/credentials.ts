import type { IncomingMessage } from 'node:http'
import { problem } from '../../contract/problems.ts'

/** Login and password as sent. */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** Parsed Authorization header. */
export type Authorization =
  | { readonly medium: 'basic'; readonly credentials: Credentials }
  | { readonly medium: 'bearer'; readonly token: string }

/**
 * Returns the Authorization header of a request.
 *
 * @throws {Problem} auth/bad-header if there are several: Node would use the first one
 */
export function findAuthorization(request: IncomingMessage): string | undefined {
  const { authorization } = request.headers
  if (authorization !== undefined && (request.headersDistinct.authorization?.length ?? 1) > 1)
    throw problem('auth/bad-header', 'The request has more than one Authorization header.')
  return authorization
}

/**
 * Parses an Authorization header of the Basic scheme (in UTF-8) or the Bearer scheme.
 *
 * @throws {Problem} auth/bad-header
 * @see RFC 7617, RFC 6750
 */
export function parseAuthorization(header: string): Authorization {
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/)
  if (/^bearer$/i.test(scheme) && rest.length === 0 && /^[A-Za-z0-9._~+/-]+=*$/.test(token))
    return { medium: 'bearer', token }
  if (/^basic$/i.test(scheme)) return { medium: 'basic', credentials: parseBasic(token) }
  throw problem('auth/bad-header', 'The Authorization header uses neither the Basic nor the Bearer scheme.')
}

function parseBasic(token: string): Credentials {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(token))
    throw problem('auth/bad-header', 'The Authorization header does not contain base64 credentials.')
  const text = Buffer.from(token, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0'))
    throw problem('auth/bad-header', 'The Authorization header does not contain a login and a password.')
  return { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Lists the possible readings of credentials: as sent and, if they contain percent escapes, decoded, because a widespread
 * client percent-encodes them.
 */
export function readingsOf(credentials: Credentials): Credentials[] {
  const { login, password } = credentials
  if (!/%[0-9a-f]{2}/i.test(login + password)) return [credentials]
  try {
    const decoded = { login: decodeURIComponent(login), password: decodeURIComponent(password) }
    return [credentials, decoded]
  } catch {
    return [credentials]
  }
}

/** Properties of a request that determine its session cookie. */
interface CookieRequest {
  /** Cookie header. */
  readonly cookie: string | undefined
  /** Whether the request uses https. */
  readonly secure: boolean
}

/** With https, the prefix makes browsers reject a cookie that another host of the domain has set. @see RFC 6265bis, 4.1.3.2 */
const nameOf = (secure: boolean) => (secure ? '__Host-landform' : 'landform')

/** Finds the session secret in the cookies of a request; the first one if there are several. */
export function findSessionSecret({ cookie = '', secure }: CookieRequest): string | undefined {
  const start = `${nameOf(secure)}=`
  const pair = cookie.split(';').find((each) => each.trimStart().startsWith(start))
  return pair?.trim().slice(start.length) || undefined
}

/**
 * Writes the Set-Cookie header of a session. Scripts cannot read the cookie, and cross-site requests do not send it. The
 * secret needs no encoding.
 */
export function sessionCookie(
  secret: string,
  { seconds, secure }: { readonly seconds: number; readonly secure: boolean },
): string {
  const attributes = [
    `Max-Age=${seconds}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(secure ? ['Secure'] : []),
  ]
  return [`${nameOf(secure)}=${secret}`, ...attributes].join('; ')
}

/** Writes the Set-Cookie header that deletes the session cookie. */
export function endedCookie(secure: boolean): string {
  return sessionCookie('', { seconds: 0, secure })
}
