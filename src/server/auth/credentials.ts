import { problem } from '../../contract/problems.ts'

/** A login and a password, as they came. */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** What an Authorization header holds. */
export type Authorization =
  | { readonly medium: 'basic'; readonly credentials: Credentials }
  | { readonly medium: 'bearer'; readonly token: string }

/**
 * Reads an Authorization header of the Basic scheme, in UTF-8, or of the Bearer scheme.
 *
 * @throws {Problem} auth/bad-header where it cannot be read
 * @see RFC 7617, RFC 6750
 */
export function parseAuthorization(header: string): Authorization {
  const [scheme = '', token = '', ...rest] = header.trim().split(/\s+/)
  if (/^bearer$/i.test(scheme) && rest.length === 0 && /^[A-Za-z0-9._~+/-]+=*$/.test(token))
    return { medium: 'bearer', token }
  if (/^basic$/i.test(scheme)) return { medium: 'basic', credentials: parseBasic(token) }
  throw problem('auth/bad-header', 'The Authorization header is neither of the Basic nor the Bearer scheme.')
}

function parseBasic(token: string): Credentials {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(token))
    throw problem('auth/bad-header', 'The Authorization header is not of the Basic scheme.')
  const text = Buffer.from(token, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes('\0'))
    throw problem('auth/bad-header', 'The Authorization header holds no login and password.')
  return { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Gives the readings of credentials that are worth trying: as they came and, where they hold percent signs, decoded,
 * since a client in wide use encodes them first.
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

/** What of a request decides about its cookie. */
interface CookieRequest {
  /** The header Cookie. */
  readonly cookie: string | undefined
  /** Whether it came by https. */
  readonly secure: boolean
}

/** By https the browser itself holds that no neighbouring host has set the cookie. @see RFC 6265bis, 4.1.3.2 */
const nameOf = (secure: boolean) => (secure ? '__Host-landform' : 'landform')

/** Finds the text of a request's session; the first where the name comes twice. */
export function findSessionSecret({ cookie = '', secure }: CookieRequest): string | undefined {
  const start = `${nameOf(secure)}=`
  const pair = cookie.split(';').find((each) => each.trimStart().startsWith(start))
  return pair?.trim().slice(start.length) || undefined
}

/**
 * Writes the header that gives a browser its session; scripts cannot read it, other sites cannot send it along. The
 * text has nothing in it that a cookie would need encoded.
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

/** Writes the header that takes it away. */
export function endedCookie(secure: boolean): string {
  return sessionCookie('', { seconds: 0, secure })
}
