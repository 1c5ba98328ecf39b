import type { MadeToken, TokenAnswer } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { isAdministrator } from '../../store/auth/membership.ts'
import { findPrincipals } from '../../store/auth/principal.ts'
import { announcePrincipals } from '../../store/auth/principal_change.ts'
import { deleteToken, findToken, insertToken, listTokens, type Token } from '../../store/auth/token.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { Changer, Creator } from './change_principals.ts'
import { digestSecret, holdPassword, makeSecret, tokenPrefix } from './token_secret.ts'

/** Most tokens of one user. */
const mostTokens = 100

/** Writes a token for the wire, without its text. */
export function tokenAnswer({
  id,
  name,
  userId,
  userKeyname,
  created,
  expires,
  lastUsed,
}: Token): TokenAnswer {
  return { id, name, user: { id: userId, keyname: userKeyname }, created, expires, last_used: lastUsed }
}

/** A token that is wanted. */
export interface WantedToken {
  readonly name: string
  readonly expires?: string | null
  /** Whose; the caller's where absent. */
  readonly user?: { readonly id: number }
}

/**
 * Makes a token. A token cannot make another one, or one that was stolen would never die.
 *
 * @throws {Problem} access/denied, request/invalid, principal/name-taken, auth/bad-credentials
 */
export async function createToken(changer: Creator, wanted: WantedToken): Promise<MadeToken> {
  const { context, caller, signal, once } = changer
  if (caller.medium === 'bearer')
    throw problem('access/denied', 'A token makes no tokens: log in with a password.')
  const userId = await whose(changer, wanted.user?.id)
  const expires = readExpiry(wanted.expires)
  const text = tokenPrefix + makeSecret()
  const made = await context.database.transaction(
    async (tx) => {
      await holdPassword(tx, caller)
      if ((await listTokens(tx, userId)).length >= mostTokens)
        throw problem('request/invalid', `There are ${mostTokens} tokens already: revoke some.`)
      const digest = digestSecret(text)
      const token = await insertToken(tx, { userId, name: wanted.name, digest, expires })
      if (token === undefined) return undefined
      const answer = { ...tokenAnswer(token), token: text }
      await once.keep(tx, answer)
      return answer
    },
    { signal },
  )
  if (made !== undefined) return made
  throw problem('principal/name-taken', `There is a token "${wanted.name}" already.`, {
    data: { location: ['body', '/name'] },
  })
}

/**
 * Gives the id of the user whose tokens are asked about.
 *
 * @throws {Problem} access/denied, request/invalid
 */
export async function whose({ context, caller }: Changer, userId: number | undefined): Promise<number> {
  if (caller.isGuest) throw problem('access/denied', 'Guests have no tokens: log in.')
  if (userId === undefined || userId === caller.id) return caller.id
  if (!(await isAdministrator(context.database, caller.id)))
    throw problem('access/denied', 'The tokens of others are for administrators.')
  const found = (await findPrincipals(context.database, [userId])).get(userId)
  if (found?.kind === 'user' && !found.system) return userId
  throw problem('request/invalid', `There is no user with id ${userId} who could have tokens.`)
}

/**
 * Revokes a token, of oneself or, for administrators, of anybody. It is refused from now on.
 *
 * @throws {Problem} token/not-found
 */
export async function revokeToken({ context, caller, signal }: Changer, id: number): Promise<void> {
  await context.database.transaction(
    async (tx) => {
      const found = await findToken(tx, id)
      if (found === undefined || (found.userId !== caller.id && !(await isAdministrator(tx, caller.id))))
        throw problem('token/not-found', `There is no token with id = ${id}.`)
      await deleteToken(tx, id)
      await announcePrincipals(tx)
    },
    { signal },
  )
  context.authenticator.forget()
}

/** Reads a date, or a date and time, in UTC unless it names a zone. */
function readExpiry(text: string | null | undefined): Date | undefined {
  if (text === null || text === undefined) return undefined
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text)
  const [, day, time = '00:00', zone = 'Z'] = match ?? []
  const moment = new Date(`${day}T${time}${zone}`)
  if (match === null || Number.isNaN(moment.getTime()))
    throw invalidAt('/expires', `"${text}" is no date`, 'Write it like 2030-12-31 or 2030-12-31T18:00:00.')
  if (moment.getTime() <= Date.now()) throw invalidAt('/expires', `"${text}" has passed`)
  return moment
}
