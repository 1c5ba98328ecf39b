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
