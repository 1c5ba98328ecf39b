import { describeWeakness } from '../../contract/principal.ts'
import type { Issue } from '../../core/issue.ts'
import { isProblem } from '../../core/problem.ts'
import type { WantedPrincipal } from '../../manifest/manifest.ts'
import type { ApplyOptions } from '../apply/apply_options.ts'
import { issueAt } from '../plan/issue_at.ts'
import { describeSecret, withoutEnd } from './apply_principals.ts'

/**
 * Reports passwords that servers refuse because they are too weak, without the passwords, and warns of those that cannot be read: they may
 * be there when the manifest is applied. Commands are not run, since they may ask or change something.
 */
export async function checkPasswords(
  users: readonly WantedPrincipal[],
  readSecret: NonNullable<ApplyOptions['readSecret']>,
): Promise<Issue[]> {
  const issues: Issue[] = []
  for (const user of users) {
    const { key, password: source } = user
    if (source === undefined || 'command' in source) continue
    try {
      const weakness = describeWeakness(withoutEnd(await readSecret(source)), key)
      if (weakness === undefined) continue
      const message = `the password of the user "${key}", in ${describeSecret(source)}, ${weakness}`
      issues.push(issueAt(user, 'principal/weak-password', message, '/password'))
    } catch (error) {
      if (!isProblem(error)) throw error
      const message = `the password of the user "${key}" cannot be read from ${describeSecret(source)}: ${error.data.reason}`
      issues.push({ ...issueAt(user, 'principal/no-password', message, '/password'), severity: 'warning' })
    }
  }
  return issues
}
