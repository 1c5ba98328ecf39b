import type { MadeToken, TokenAnswer } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'
import { isAdministrator } from '../../store/auth/membership.ts'
import { findPrincipals } from '../../store/auth/principal.ts'
import { announcePrincipals } from '../../store/auth/principal_change.ts'
import { deleteToken, findToken, insertToken, listTokens, type Token } from '../../store/auth/token.ts'
import { invalidAt } from '../http/invalid_request.ts'
import type { ChangeRequest, CreateRequest } from './change_principals.ts'
import { digestSecret, generateSecret, lockPassword, tokenPrefix } from './token_secret.ts'

/** Maximum number of tokens per user. */
const maxTokens = 100

/** Encodes a token for a response, without its secret. */
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

/** Properties of a new token. */
export interface TokenInput {
  readonly name: string
  readonly expires?: string | null
  /** Owner; the caller by default. */
  readonly user?: { readonly id: number }
}

/**
 * Creates a token. Tokens cannot create tokens, because a stolen one could then renew itself.
 *
 * @throws {Problem} access/denied, request/invalid, principal/name-taken, auth/bad-credentials
 */
export async function createToken(request: CreateRequest, input: TokenInput): Promise<MadeToken> {
  const { context, caller, signal, idempotency } = request
  if (caller.medium === 'bearer')
    throw problem('access/denied', 'Tokens cannot create tokens; sign in with a password.')
  const userId = await findTokenOwner(request, input.user?.id)
  const expires = parseExpiry(input.expires)
  const text = tokenPrefix + generateSecret()
  const created = await context.database.transaction(
    async (tx) => {
      await lockPassword(tx, caller)
      if ((await listTokens(tx, userId)).length >= maxTokens)
        throw problem(
          'request/invalid',
          `Cannot create a token: the user has ${maxTokens}, the limit. Revoke some.`,
        )
      const digest = digestSecret(text)
      const token = await insertToken(tx, { userId, name: input.name, digest, expires })
      if (token === undefined) return undefined
      const answer = { ...tokenAnswer(token), token: text }
      await idempotency.store(tx, answer)
      return answer
    },
    { signal },
  )
  if (created !== undefined) return created
  throw problem('principal/name-taken', `Token "${input.name}" already exists.`, {
    data: { location: ['body', '/name'] },
  })
}

/**
 * Returns the id of the user whose tokens a request is about.
 *
 * @throws {Problem} access/denied, request/invalid
 */
export async function findTokenOwner(
  { context, caller }: ChangeRequest,
  userId: number | undefined,
): Promise<number> {
  if (caller.isGuest) throw problem('access/denied', 'Guests have no tokens; sign in.')
  if (userId === undefined || userId === caller.id) return caller.id
  if (!(await isAdministrator(context.database, caller.id)))
    throw problem('access/denied', 'Only administrators can manage tokens of other users.')
  const found = (await findPrincipals(context.database, [userId])).get(userId)
  if (found?.kind === 'user' && !found.system) return userId
  throw problem('request/invalid', `User ${userId} does not exist or is a system user without tokens.`)
}

/**
 * Revokes a token of the caller or, for administrators, of any user, with immediate effect.
 *
 * @throws {Problem} token/not-found
 */
export async function revokeToken({ context, caller, signal }: ChangeRequest, id: number): Promise<void> {
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

/** Parses a date or timestamp, in UTC unless it has a time zone. */
function parseExpiry(text: string | null | undefined): Date | undefined {
  if (text === null || text === undefined) return undefined
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text)
  const [, day, time = '00:00', zone = 'Z'] = match ?? []
  const timestamp = new Date(`${day}T${time}${zone}`)
  if (match === null || Number.isNaN(timestamp.getTime()))
    throw invalidAt('/expires', `"${text}" is not a date`, 'Write it like 2030-12-31 or 2030-12-31T18:00:00.')
  if (timestamp.getTime() <= Date.now()) throw invalidAt('/expires', `"${text}" is in the past`)
  return timestamp
}
