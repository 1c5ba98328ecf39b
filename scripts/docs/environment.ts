import { listSettings } from '../../src/server/settings/server_settings.ts'
import { formatCode, formatTable, joinParts } from './markdown.ts'

/** Variables besides the settings of the server. */
const variables: Readonly<Record<string, readonly [usedBy: string, meaning: string]>> = {
  LANDFORM_SERVER: [
    'commands',
    'URL of the server; `http://127.0.0.1:8080` by default. The option `--server` overrides it.',
  ],
  LANDFORM_USER: ['commands', 'Login; `administrator` by default. The option `--user` overrides it.'],
  LANDFORM_PASSWORD: ['commands', 'Password of the login.'],
  LANDFORM_TOKEN: ['commands', 'Access token, in place of login and password.'],
  LANDFORM_ALLOW_DELETE: [
    'Pulumi',
    'Keys of resources that may be deleted although they have features or files, separated by commas.',
  ],
  LANDFORM_NEW_PASSWORD: ['`user create`, `user set-password`', 'New password, in place of a prompt.'],
  HTTP_PROXY: ['commands', 'Proxy for servers with `http:` URLs. Upper or lower case, as for curl.'],
  HTTPS_PROXY: ['commands', 'Proxy for servers with `https:` URLs.'],
  NO_PROXY: ['commands', 'Hosts that are reached without a proxy.'],
  NO_COLOR: ['commands', 'Any value turns colors off.'],
  CI: ['commands', 'Any value other than `false` turns prompts, colors and progress bars off.'],
  TERM: ['commands', '`dumb` turns colors and progress bars off.'],
}

/** Lists the names of all environment variables of the reference. */
export function listVariables(): readonly string[] {
  return [...listSettings().map(([, { variable }]) => variable), ...Object.keys(variables)]
}

/** Prints the page of the environment variables and server settings. */
export function printEnvironment(): string {
  const settings = listSettings().map(([, { variable, flag, argument, help, defaultHelp }]) => [
    formatCode(variable),
    flag === undefined ? '' : formatCode([flag, ...(argument === undefined ? [] : [argument])].join(' ')),
    help,
    defaultHelp ?? '',
  ])
  return joinParts(
    '# Environment variables and server settings',
    'An option overrides the variable of the same setting. An empty variable counts as unset.',
    '## Server settings',
    'Settings of `landform serve` and `landform start`. Secrets have no option, since other users of the machine can read the arguments of a command. Variables of switches take `true` or `false`.',
    formatTable(['Variable', 'Option', 'Meaning', 'Default'], settings),
    '## Other variables',
    formatTable(
      ['Variable', 'Used by', 'Meaning'],
      Object.entries(variables).map(([name, [usedBy, meaning]]) => [formatCode(name), usedBy, meaning]),
    ),
    'Manifests and pipelines read any variable as `${env.NAME}`.',
  )
}
