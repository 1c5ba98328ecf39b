import type { Static } from 'typebox'
import type { ChangedProfileSchema, EndedAccess } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { isProblem } from '../../core/problem.ts'
import { announcePrincipals, lockPrincipals } from '../../store/auth/principal_change.ts'
import { type PrincipalFields, updatePrincipal } from '../../store/auth/principal_record.ts'
import type { ApiRequest } from '../http/handler.ts'
import { invalidAt } from '../http/invalid_request.ts'
import { endAccess } from './change_principals.ts'
import { findSessionSecret } from './credentials.ts'
import { hashPassword } from './password.ts'
import { checkPassword } from './password_rules.ts'
import { checkOwnNames, getPrincipal } from './principal_checks.ts'
import { changedNames } from './remove_principal.ts'
import { digestSecret, lockPassword } from './token_secret.ts'

type Request = Pick<ApiRequest, 'context' | 'caller' | 'signal' | 'headers' | 'address' | 'secure'>
type Body = Static<typeof ChangedProfileSchema>

/**
 * Refuses guests.
 *
 * @throws {Problem} access/denied
 */
export function requireUser({ caller }: Pick<ApiRequest, 'caller'>): void {
  if (caller.isGuest) throw problem('access/denied', 'Guests have no profile; sign in.')
}

/**
 * Updates the profile of the caller. A new password requires the old one and ends all other sessions and tokens; returns
 * what it has ended.
 *
 * @throws {Problem} access/denied, request/invalid, principal/name-taken, principal/weak-password, auth/*
 */
export async function updateProfile(request: Request, body: Body): Promise<EndedAccess> {
  requireUser(request)
  const { context, caller, signal } = request
  const passwordHash = body.password === undefined ? undefined : await hashNewPassword(request, body)
  const fields: PrincipalFields = {
    ...(body.display_name === undefined ? {} : { displayName: body.display_name }),
    ...(body.language === undefined ? {} : { language: body.language }),
    ...(passwordHash === undefined ? {} : { passwordHash }),
  }
  const ended = await context.database.transaction(
    async (tx) => {
      await lockPrincipals(tx)
      if (passwordHash !== undefined) await lockPassword(tx, caller)
      const record = await getPrincipal(tx, 'user', caller.id)
      const names = changedNames(record, { display_name: body.display_name ?? record.displayName })
      await checkOwnNames(tx, names)
      await updatePrincipal(tx, caller.id, fields)
      await announcePrincipals(tx)
      if (passwordHash === undefined) return {}
      return endAccess(tx, caller.id, { session: findOwnSession(request), tokens: body.keep_tokens })
    },
    { signal },
  )
  context.authenticator.forget()
  return ended
}

async function hashNewPassword({ context, caller, address }: Request, body: Body): Promise<string> {
  const { password = '', old_password: old } = body
  if (caller.medium === 'bearer')
    throw problem('access/denied', 'Tokens cannot change passwords; sign in with the password.')
  if (old === undefined) throw invalidAt('/old_password', 'the old password is missing')
  try {
    await context.authenticator.logIn({ login: caller.keyname, password: old }, address)
  } catch (error) {
    if (isProblem(error, 'auth/bad-credentials'))
      throw invalidAt('/old_password', 'the old password is wrong')
    throw error
  }
  checkPassword(password, caller.keyname)
  return hashPassword(password, context.passwordCost)
}

function findOwnSession({ caller, headers, secure }: Request): string | undefined {
  const secret = findSessionSecret({ cookie: headers.cookie, secure })
  return caller.medium === 'session' && secret !== undefined ? digestSecret(secret) : undefined
}
