import { problem } from '../../contract/problems.ts'
import type { authRoutes } from '../../contract/routes/auth.ts'
import { announcePrincipals } from '../../store/principal_change.ts'
import { deleteEndedSessions, deleteSession, insertSession } from '../../store/session.ts'
import { listTokens } from '../../store/token.ts'
import { endedCookie, findSessionSecret, sessionCookie } from '../auth/cookie.ts'
import { getPrincipal } from '../auth/principal_checks.ts'
import { requireUser, updateProfile } from '../auth/profile.ts'
import { digestSecret, makeSecret } from '../auth/secret.ts'
import { createToken, revokeToken, tokenAnswer, whose } from '../auth/tokens.ts'
import type { ApiRequest, Handlers } from '../handler.ts'

/** What tells who somebody is, or is a secret, is for the one who asked. */
const unstored = { 'cache-control': 'no-store' }

/** Operations on oneself. */
export const authHandlers: Handlers<keyof typeof authRoutes> = {
  'auth.current_user': async ({ caller, query }) => {
    if (query.require_authenticated && caller.isGuest) throw problem('auth/required', 'Nobody is logged in.')
    return {
      headers: unstored,
      json: {
        id: caller.id,
        keyname: caller.keyname,
        display_name: caller.displayName,
        language: caller.language,
        auth_medium: caller.medium,
        auth_provider: caller.medium === null ? null : caller.medium === 'bearer' ? 'token' : 'local_pw',
      },
    }
  },

  'auth.login': async (request) => {
    const { context, body, address, secure } = request
    const user = await context.authenticator.logIn(body, address)
    const secret = makeSecret()
    const seconds = await startSession(request, { userId: user.id, digest: digestSecret(secret) })
    return {
      headers: { ...unstored, 'set-cookie': sessionCookie(secret, { seconds, secure }) },
      json: { id: user.id, keyname: user.keyname, display_name: user.displayName },
    }
  },

  'auth.logout': async (request) => {
    await endSession(request)
    return { headers: { ...unstored, 'set-cookie': endedCookie(request.secure) }, json: {} }
  },

  'auth.profile': async (request) => {
    requireUser(request)
    const record = await getPrincipal(request.context.database, 'user', request.caller.id)
    const { id, keyname, displayName, description, language, groupIds } = record
    return {
      headers: unstored,
      json: { id, keyname, display_name: displayName, description, language, member_of: [...groupIds] },
    }
  },

  'auth.profile_update': async (request) => {
    await updateProfile(request, request.body)
    return { json: {} }
  },

  'token.list': async (request) => {
    const userId = await whose(request, request.query.user)
    return { json: (await listTokens(request.context.database, userId)).map(tokenAnswer) }
  },

  'token.create': async (request) => {
    const { made, text } = await createToken(request, request.body)
    return { headers: unstored, json: { ...tokenAnswer(made), token: text } }
  },

  'token.revoke': async (request) => {
    await revokeToken(request, request.params.token)
    return { json: {} }
  },
}

/** Starts a session in the place of the one that the browser has. Gives the seconds it lasts. */
async function startSession(
  request: ApiRequest<'auth.login'>,
  { userId, digest }: { readonly userId: number; readonly digest: string },
): Promise<number> {
  await endSession(request)
  return request.context.database.transaction(async (tx) => {
    await deleteEndedSessions(tx)
    return insertSession(tx, digest, userId)
  })
}

async function endSession({
  context,
  headers,
  secure,
}: ApiRequest<'auth.login' | 'auth.logout'>): Promise<void> {
  const secret = findSessionSecret({ cookie: headers.cookie, secure })
  if (secret === undefined) return
  const ended = await context.database.transaction(async (tx) => {
    const found = await deleteSession(tx, digestSecret(secret))
    if (found) await announcePrincipals(tx)
    return found
  })
  if (ended) context.authenticator.forget()
}
