import type { User } from '../../store/auth/principal.ts'
import { announcePrincipals } from '../../store/auth/principal_change.ts'
import { deleteExpiredSessions, deleteSession, insertSession } from '../../store/auth/session.ts'
import type { ApiRequest } from '../http/handler.ts'
import { endedCookie, findSessionSecret, sessionCookie } from './credentials.ts'
import { credentialOf, digestSecret, generateSecret, lockPassword } from './token_secret.ts'

type Request = Pick<ApiRequest, 'context' | 'headers' | 'secure' | 'address'>

/** Signed-in user and Set-Cookie header of the session. */
export interface OpenedSession {
  readonly user: User
  readonly cookie: string
}

/**
 * Signs a user in with a new session, which replaces the present session of the browser.
 *
 * @throws {Problem} auth/bad-credentials, auth/disabled, auth/too-many
 */
export async function openSession(
  request: Request,
  credentials: { readonly login: string; readonly password: string },
): Promise<OpenedSession> {
  const { context, address, secure } = request
  const user = await context.authenticator.logIn(credentials, address)
  await endSession(request)
  const secret = generateSecret()
  const seconds = await context.database.transaction(async (tx) => {
    await deleteExpiredSessions(tx)
    await lockPassword(tx, { id: user.id, credential: credentialOf(user.passwordHash) })
    return insertSession(tx, digestSecret(secret), user.id)
  })
  return { user, cookie: sessionCookie(secret, { seconds, secure }) }
}

/** Ends the session of the browser, if any. Returns the Set-Cookie header that deletes the cookie. */
export async function closeSession(request: Request): Promise<string> {
  await endSession(request)
  return endedCookie(request.secure)
}

async function endSession({ context, headers, secure }: Request): Promise<void> {
  const secret = findSessionSecret({ cookie: headers.cookie, secure })
  if (secret === undefined) return
  const ended = await context.database.transaction(async (tx) => {
    const found = await deleteSession(tx, digestSecret(secret))
    if (found) await announcePrincipals(tx)
    return found
  })
  if (ended) context.authenticator.forget()
}
