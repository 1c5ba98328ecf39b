import { passwordLength } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'

/** Minimum number of different characters of a password. */
const minDifferent = 4

/**
 * Checks that a new password meets the minimum requirements.
 *
 * @throws {Problem} principal/weak-password; the message does not contain the password
 */
export function checkPassword(password: string, keyname: string): void {
  const characters = [...password.normalize('NFKC')]
  const { min, max } = passwordLength
  if (characters.length < min || characters.length > max)
    throw weak(`The password must have ${min} to ${max} characters.`)
  if (new Set(characters).size < minDifferent)
    throw weak(`The password must have at least ${minDifferent} different characters.`)
  if (password.toLowerCase() === keyname.toLowerCase()) throw weak('The password must differ from the login.')
}

function weak(message: string) {
  return problem('principal/weak-password', message, { data: { location: ['body', '/password'] } })
}
