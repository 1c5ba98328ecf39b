import type { Issue } from '../core/issue.ts'
import type { WantedPrincipal } from '../manifest/manifest.ts'
import type { Terminal } from './terminal.ts'

/** Finds weak passwords of users, and those that cannot be read. Few plans have passwords: what reads them is loaded for those. */
export async function findBadPasswords(
  users: readonly WantedPrincipal[],
  terminal: Pick<Terminal, 'env'>,
): Promise<Issue[]> {
  if (users.length === 0) return []
  const { checkPasswords } = await import('../reconcile/principals/check_passwords.ts')
  const { readSecret } = await import('./read_secret.ts')
  return checkPasswords(users, (source) => readSecret(source, terminal))
}
