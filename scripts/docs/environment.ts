import { loadDeclared } from './commands.ts'
import { formatCode, formatCodes, formatTable, joinParts } from './markdown.ts'

/** Variables that are not the value of an option. */
const variables: Readonly<Record<string, readonly [usedBy: string, meaning: string]>> = {
  LANDFORM_SERVER: [
    'commands',
    'URL of the server; `http://127.0.0.1:8080` by default. The option `--server` overrides it.',
  ],
  LANDFORM_USER: ['commands', 'Login; `administrator` by default. The option `--user` overrides it.'],
  LANDFORM_PASSWORD: ['commands', 'Password of the login.'],
  LANDFORM_TOKEN: ['commands', 'Access token, in place of login and password.'],
  LANDFORM_NEW_PASSWORD: ['`user create`, `user set-password`', 'New password, in place of a prompt.'],
  LANDFORM_ADMIN_PASSWORD: [
    '`serve`, `start`',
    'Password of the administrator, read at the first start only; generated where absent.',
  ],
  LANDFORM_SECRET_KEY: [
    '`serve`, `start`',
    'Key that encrypts the stored passwords of connections: 32 bytes in base64. Where absent, the first start generates one in the data directory.',
  ],
  HTTP_PROXY: ['commands', 'Proxy for servers with `http:` URLs. Upper or lower case, as for curl.'],
  HTTPS_PROXY: ['commands', 'Proxy for servers with `https:` URLs.'],
  NO_PROXY: ['commands', 'Hosts that are reached without a proxy.'],
  NO_COLOR: ['commands', 'Any value turns colors off.'],
  CI: ['commands', 'Any value other than `false` turns prompts, colors and progress bars off.'],
  TERM: ['commands', '`dumb` turns colors and progress bars off.'],
}

/** A variable that stands for an option. */
interface OptionVariable {
  readonly name: string
  readonly flag: string
  readonly commands: readonly string[]
  readonly meaning: string
}

/** Lists the names of all environment variables of the reference. */
export async function listVariables(): Promise<readonly string[]> {
  const named = (await listOptionVariables()).map(({ name }) => name)
  return [...new Set([...Object.keys(variables), ...named])]
}

/** Prints the page of the environment variables and server settings. */
export async function printEnvironment(): Promise<string> {
  const settings = await listOptionVariables()
  return joinParts(
    '# Environment variables and server settings',
    'An option overrides the variable of the same setting. An empty variable counts as unset.',
    '## Server settings',
    formatTable(
      ['Variable', 'Option', 'Commands', 'Meaning'],
      settings.map(({ name, flag, commands, meaning }) => [
        formatCode(name),
        formatCode(flag),
        formatCodes(commands),
        meaning,
      ]),
    ),
    'Further settings of a server exist as options only: see [`landform serve`](commands.md#landform-serve).',
    '## Other variables',
    formatTable(
      ['Variable', 'Used by', 'Meaning'],
      Object.entries(variables).map(([name, [usedBy, meaning]]) => [formatCode(name), usedBy, meaning]),
    ),
    'Manifests and pipelines read any variable as `${env.NAME}`.',
  )
}

/** Lists the options that name a variable in their description. */
async function listOptionVariables(): Promise<readonly OptionVariable[]> {
  const found = new Map<string, OptionVariable>()
  for (const { name: command, command: declared } of await loadDeclared()) {
    for (const { flags, description } of declared.options) {
      const name = /\((?:else )?(LANDFORM_\w+)/.exec(description)?.[1]
      if (name === undefined || Object.hasOwn(variables, name)) continue
      const known = found.get(name)?.commands ?? []
      found.set(name, { name, flag: flags, commands: [...known, command], meaning: description })
    }
  }
  return [...found.values()]
}
