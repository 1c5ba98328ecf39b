import { fastifyCookie } from '@fastify/cookie'

/** What of a request decides about its cookie. */
export interface CookieRequest {
  /** The header Cookie. */
  readonly cookie: string | undefined
  /** Whether it came by https. */
  readonly secure: boolean
}

/** By https the browser itself holds that no neighbouring host has set the cookie. @see RFC 6265bis, 4.1.3.2 */
const nameOf = (secure: boolean) => (secure ? '__Host-landform' : 'landform')

/** Finds the text of a request's session. */
export function findSessionSecret({ cookie, secure }: CookieRequest): string | undefined {
  if (cookie === undefined) return undefined
  const text = fastifyCookie.parse(cookie)[nameOf(secure)]
  return text === undefined || text === '' ? undefined : text
}

/** Writes the header that gives a browser its session; scripts cannot read it, other sites cannot send it along. */
export function sessionCookie(
  secret: string,
  { seconds, secure }: { readonly seconds: number; readonly secure: boolean },
): string {
  return fastifyCookie.serialize(nameOf(secure), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: seconds,
  })
}

/** Writes the header that takes it away. */
export function endedCookie(secure: boolean): string {
  return sessionCookie('', { seconds: 0, secure })
}
