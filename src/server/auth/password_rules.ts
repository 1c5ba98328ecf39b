import { describeWeakness } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'

/**
 * Checks that a new password meets the minimum requirements.
 *
 * @throws {Problem} principal/weak-password; the message does not contain the password
 */
export function checkPassword(password: string, keyname: string): void {
  const weakness = describeWeakness(password, keyname)
  if (weakness === undefined) return
  throw problem('principal/weak-password', `The password ${weakness}.`, {
    data: { location: ['body', '/password'] },
  })
}
