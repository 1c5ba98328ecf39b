import { hash, randomBytes } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { lockPasswordHash } from '../../store/auth/principal_record.ts'

/** How every token begins, so that people and scanners of leaked secrets know one when they see it. */
export const tokenPrefix = 'landform_'

/** Makes a text that nobody guesses: 43 characters, 256 bits. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Gives what is kept of a session's or a token's text: its SHA-256. It needs no salt, as nobody chose the text. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Gives what stands for a password in a caller: another one for each hash, and nothing that tells the hash. */
export function credentialOf(passwordHash: string | null): string {
  return digestSecret(passwordHash ?? '')
}

/**
 * Keeps a user's password from being changed until the transaction ends, so that no session or token outlives the
 * password that it was made with.
 *
 * @throws {Problem} auth/bad-credentials where the password has been changed since
 */
export async function holdPassword(
  tx: Queryable,
  { id, credential }: { readonly id: number; readonly credential: string },
): Promise<void> {
  const passwordHash = await lockPasswordHash(tx, id)
  if (passwordHash !== undefined && credentialOf(passwordHash) === credential) return
  throw problem('auth/bad-credentials', 'The password has just been changed, or the user disabled.')
}
