import { problem } from '../contract/problems.ts'
import { askHidden, type Terminal } from './terminal.ts'

/**
 * Finds a new password: on standard input where it is said to be there, in LANDFORM_NEW_PASSWORD, or by asking a person
 * twice; undefined where there is none of these. It is never an argument: those are shown to everybody on the machine.
 *
 * @throws {Problem} usage/bad-argument where there is nothing on standard input, or the two differ, pipeline/interrupted
 */
export async function findNewPassword(
  terminal: Terminal,
  { stdin }: { readonly stdin: boolean },
): Promise<string | undefined> {
  if (stdin) return readPassword(terminal)
  const { LANDFORM_NEW_PASSWORD: given } = terminal.env
  if (given !== undefined && given !== '') return given
  return terminal.canAsk ? askPassword(terminal) : undefined
}

async function readPassword({ input }: Terminal): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  const password = Buffer.concat(chunks)
    .toString('utf8')
    .replace(/\r?\n$/, '')
  if (password === '') throw problem('usage/bad-argument', 'There is no password on standard input.')
  return password
}

async function askPassword(terminal: Terminal): Promise<string> {
  const [password, again] = await askHidden(terminal, ['New password:', 'The same again:'])
  if (password === undefined || again === undefined)
    throw problem('pipeline/interrupted', 'No password was given.')
  if (password !== again) throw problem('usage/bad-argument', 'The two passwords differ.')
  return password
}
