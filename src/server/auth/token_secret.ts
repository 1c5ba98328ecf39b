import { hash, randomBytes } from 'node:crypto'
import { problem } from '../../contract/problems.ts'
import type { Queryable } from '../../database/database.ts'
import { lockPasswordHash } from '../../store/auth/principal_record.ts'

/** Prefix of all tokens, by which people and secret scanners recognize them. */
export const tokenPrefix = 'landform_'

/** Generates a random secret of 43 characters (256 bits). */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the SHA-256 of a session or token secret, for storage. Random secrets need no salt. */
export function digestSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Returns a digest of a password hash, to detect password changes without exposing the hash. */
export function credentialOf(passwordHash: string | null): string {
  return digestSecret(passwordHash ?? '')
}

/**
 * Locks the password of a user until the transaction ends, so that no session or token outlives the password it was
 * created with.
 *
 * @throws {Problem} auth/bad-credentials if the password was changed since authentication
 */
export async function lockPassword(
  tx: Queryable,
  { id, credential }: { readonly id: number; readonly credential: string },
): Promise<void> {
  const passwordHash = await lockPasswordHash(tx, id)
  if (passwordHash !== undefined && credentialOf(passwordHash) === credential) return
  throw problem('auth/bad-credentials', 'The password has just been changed or the user disabled.')
}
