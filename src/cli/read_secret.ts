import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { SecretSource } from '../manifest/manifest.ts'
import { secretProblem } from '../reconcile/principals/apply_principals.ts'
import type { Terminal } from './terminal.ts'

const run = promisify(execFile)

/** Time limit of a command that prints a secret. */
const commandTimeoutMs = 60_000

/**
 * Reads a secret from an environment variable, a file or a command. The command runs without a shell.
 *
 * @throws {Problem} apply/failed without the secret and without the output of the command
 */
export async function readSecret(source: SecretSource, { env }: Pick<Terminal, 'env'>): Promise<string> {
  if ('env' in source) {
    const value = env[source.env]
    if (value === undefined) throw secretProblem(source, 'it is not set')
    return value
  }
  try {
    if ('file' in source) return await readFile(source.path, 'utf8')
    const [program = '', ...parameters] = source.command
    const options = { cwd: source.folder, env, timeout: commandTimeoutMs }
    return (await run(program, parameters, options)).stdout
  } catch (error) {
    throw secretProblem(source, reasonOf(error))
  }
}

// The message of a failed command contains its arguments and output.
function reasonOf(error: unknown): string {
  const { code, killed } = error as { readonly code?: unknown; readonly killed?: boolean }
  if (killed) return `it ran longer than ${commandTimeoutMs / 1000} s`
  return typeof code === 'number' ? `exit code ${code}` : String(code ?? 'it failed')
}
