import { problem } from '../../contract/problems.ts'
import type { authRoutes } from '../../contract/routes/auth.ts'
import { listTokens } from '../../store/auth/token.ts'
import { getPrincipal } from '../auth/principal_checks.ts'
import { requireUser, updateProfile } from '../auth/profile.ts'
import { closeSession, openSession } from '../auth/session.ts'
import { createToken, findTokenOwner, revokeToken, tokenAnswer } from '../auth/tokens.ts'
import type { Handlers } from '../http/handler.ts'

/** Header of responses with identities or secrets, which must not be cached. */
const noStore = { 'cache-control': 'no-store' }

/** Operations of callers on their own account: session, profile and tokens. */
export const authHandlers: Handlers<keyof typeof authRoutes> = {
  'auth.current_user': async ({ caller, query }) => {
    if (query.require_authenticated && caller.isGuest) throw problem('auth/required', 'Sign-in required.')
    return {
      headers: noStore,
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
    const { user, cookie } = await openSession(request, request.body)
    return {
      headers: { ...noStore, 'set-cookie': cookie },
      json: { id: user.id, keyname: user.keyname, display_name: user.displayName },
    }
  },

  'auth.logout': async (request) => ({
    headers: { ...noStore, 'set-cookie': await closeSession(request) },
    json: {},
  }),

  'auth.profile': async (request) => {
    requireUser(request)
    const record = await getPrincipal(request.context.database, 'user', request.caller.id)
    const { id, keyname, displayName, description, language, groupIds } = record
    return {
      headers: noStore,
      json: { id, keyname, display_name: displayName, description, language, member_of: [...groupIds] },
    }
  },

  'auth.profile_update': async (request) => ({ json: await updateProfile(request, request.body) }),

  'token.list': async (request) => {
    const userId = await findTokenOwner(request, request.query.user)
    return { json: (await listTokens(request.context.database, userId)).map(tokenAnswer) }
  },

  'token.create': async (request) => ({
    headers: noStore,
    json: await createToken(request, request.body),
  }),

  'token.revoke': async (request) => {
    await revokeToken(request, request.params.token)
    return { json: {} }
  },
}
