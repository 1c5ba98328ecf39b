import { passwordLength } from '../../contract/principal.ts'
import { problem } from '../../contract/problems.ts'

/** Fewest different characters of a password. */
const fewestDifferent = 4

/**
 * Checks that a new password is worth having.
 *
 * @throws {Problem} principal/weak-password; the message does not show the password
 */
export function checkPassword(password: string, keyname: string): void {
  const characters = [...password.normalize('NFKC')]
  const { min, max } = passwordLength
  if (characters.length < min || characters.length > max)
    throw weak(`A password has ${min} to ${max} characters.`)
  if (new Set(characters).size < fewestDifferent)
    throw weak(`A password has at least ${fewestDifferent} different characters.`)
  if (password.toLowerCase() === keyname.toLowerCase()) throw weak('A password is not the login.')
}

function weak(message: string) {
  return problem('principal/weak-password', message, { data: { location: ['body', '/password'] } })
}
