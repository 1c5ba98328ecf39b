import type { Dispatcher } from 'undici'

/** A login with its password. Never printed. */
export interface Credentials {
  readonly login: string
  readonly password: string
}

/** An access token issued by a server. Never printed. */
export interface Token {
  readonly token: string
}

/** Returns the value of an Authorization header. @see RFC 7617 */
export function basicHeader({ login, password }: Credentials): string {
  return `Basic ${Buffer.from(`${login}:${password}`, 'utf8').toString('base64')}`
}

/** Adds the credentials to every request to `origin`; requests to other hosts stay without. @see RFC 6750 for tokens */
export function authorize(
  credentials: Credentials | Token,
  origin: string,
): Dispatcher.DispatcherComposeInterceptor {
  const authorization = 'token' in credentials ? `Bearer ${credentials.token}` : basicHeader(credentials)
  return (dispatch) => (options, handler) => {
    if (String(options.origin) !== origin) return dispatch(options, handler)
    return dispatch({ ...options, headers: { ...(options.headers as object), authorization } }, handler)
  }
}
