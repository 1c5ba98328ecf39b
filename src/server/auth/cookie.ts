/** What of a request decides about its cookie. */
export interface CookieRequest {
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
